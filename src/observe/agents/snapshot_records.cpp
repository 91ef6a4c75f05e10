#include "observe/agents/snapshot_records.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "observe/agents/gpu_blocks_text.h"
#include "observe/agents/heap_profile.h"
#include "wire/python_names.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostRecords = 1U << 20U;

class Records {
 public:
  Records(std::span<const std::byte> file, model::Snapshot& into) : file_(file), into_(into) {}

  // Stops at the first record that makes no sense.
  void read_all(std::size_t from, std::size_t to) {
    for (std::size_t count = 0; count < kMostRecords && from + sizeof(wire::SnapshotRecord) <= to; ++count) {
      wire::SnapshotRecord record{};
      std::memcpy(&record, file_.data() + from, sizeof(record));
      if (record.bytes < sizeof(record) || record.bytes % 8 != 0 || record.bytes > to - from) return;
      const auto bytes = file_.subspan(from, record.bytes);
      if (!read(record.kind, bytes)) return;
      from += record.bytes;
    }
  }

 private:
  bool read(wire::SnapshotRecordKind kind, std::span<const std::byte> bytes) {
    switch (kind) {
      case wire::SnapshotRecordKind::Type:
        return read_type(bytes);
      case wire::SnapshotRecordKind::Tensors:
        return read_tensors(bytes);
      case wire::SnapshotRecordKind::Node:
        return read_node(bytes);
      case wire::SnapshotRecordKind::Content:
        return read_content(bytes);
      case wire::SnapshotRecordKind::Use:
        return read_use(bytes);
      case wire::SnapshotRecordKind::Blocks:
        return read_blocks(bytes);
      case wire::SnapshotRecordKind::Profile:
        return read_profile(bytes);
    }
    return false;
  }

  template <typename Record>
  static bool take(std::span<const std::byte>& bytes, Record& into) {
    if (bytes.size() < sizeof(Record)) return false;
    std::memcpy(&into, bytes.data(), sizeof(Record));
    bytes = bytes.subspan(sizeof(Record));
    return true;
  }

  static bool take_text(std::span<const std::byte>& bytes, std::uint32_t count, std::string& into) {
    if (count > bytes.size()) return false;
    into = base::printable({reinterpret_cast<const char*>(bytes.data()), count}, wire::kMaxPathBytes);
    bytes = bytes.subspan(count);
    return true;
  }

  bool read_type(std::span<const std::byte> bytes) {
    wire::TypeRecord record{};
    model::TypeCount type;
    if (!take(bytes, record) || !take_text(bytes, record.name_bytes, type.type)) return false;
    type.count = record.count;
    type.bytes = record.bytes;
    type_names_.push_back(type.type);
    if (type.count > 0) into_.types.push_back(std::move(type));
    return true;
  }

  bool read_tensors(std::span<const std::byte> bytes) {
    wire::TensorsRecord record{};
    model::TensorCount tensors;
    if (!take(bytes, record) || record.dimensions > wire::kMaxDimensions ||
        !take_text(bytes, record.device_bytes, tensors.device) ||
        !take_text(bytes, record.dtype_bytes, tensors.dtype)) {
      return false;
    }
    constexpr std::string_view kPrefix = "torch.";
    if (tensors.dtype.starts_with(kPrefix)) tensors.dtype.erase(0, kPrefix.size());
    tensors.shape.assign(record.shape, record.shape + record.dimensions);
    tensors.requires_grad = record.requires_grad != 0;
    tensors.count = record.count;
    tensors.bytes = record.bytes;
    tensors.storages = record.storages;
    tensors.storage_bytes = record.storage_bytes;
    into_.tensors.push_back(std::move(tensors));
    return true;
  }

  bool read_node(std::span<const std::byte> bytes) {
    wire::NodeRecord record{};
    model::HeldNode node;
    if (!take(bytes, record) || !take_text(bytes, record.type_bytes, node.type) ||
        !take_text(bytes, record.path_bytes, node.path) || !take_text(bytes, record.file_bytes, node.file)) {
      return false;
    }
    node.address = record.address;
    if (record.length >= 0) node.length = static_cast<std::uint64_t>(record.length);
    node.retained_bytes = record.retained_bytes;
    node.device_bytes = record.device_bytes;
    node.retained_objects = record.retained_objects;
    if (record.kind == wire::NodeKind::BoundedCache) node.cache = model::CacheKind::Bounded;
    if (record.kind == wire::NodeKind::UnboundedCache) node.cache = model::CacheKind::Unbounded;
    node.bound = record.bound > 0 ? static_cast<std::uint64_t>(record.bound) : 0;
    if (record.holder < into_.nodes.size()) node.holder = record.holder;
    node.depth = record.depth;
    node.line = record.line;
    into_.nodes.push_back(std::move(node));
    return true;
  }

  bool read_content(std::span<const std::byte> bytes) {
    wire::ContentRecord record{};
    if (!take(bytes, record) || record.node >= into_.nodes.size() || record.type >= type_names_.size())
      return false;
    into_.contents.push_back(
        {record.node, type_names_[record.type], record.count, record.bytes, record.graph_functions});
    return true;
  }

  bool read_profile(std::span<const std::byte> bytes) {
    wire::ProfileRecord record{};
    if (!take(bytes, record) || record.profile_bytes > bytes.size()) return false;
    add_heap_profile(bytes.first(record.profile_bytes), into_);
    return true;
  }

  bool read_use(std::span<const std::byte> bytes) {
    wire::UseRecord record{};
    if (!take(bytes, record)) return false;
    model::HeldUse use{.host_bytes = record.host_bytes, .device_bytes = record.device_bytes};
    if (record.node < into_.nodes.size()) use.node = record.node;
    switch (record.use) {
      case wire::TensorUse::Parameter:
        use.use = model::TensorUse::Parameter;
        break;
      case wire::TensorUse::Gradient:
        use.use = model::TensorUse::Gradient;
        break;
      case wire::TensorUse::Saved:
        use.use = model::TensorUse::Saved;
        break;
      default:
        return false;
    }
    into_.uses.push_back(use);
    return true;
  }

  bool read_blocks(std::span<const std::byte> bytes) {
    wire::BlocksRecord record{};
    if (!take(bytes, record) || record.text_bytes > std::min<std::size_t>(bytes.size(), wire::kMaxBlocksText))
      return false;
    add_gpu_blocks({reinterpret_cast<const char*>(bytes.data()), record.text_bytes}, into_);
    return true;
  }

  std::span<const std::byte> file_;
  model::Snapshot& into_;
  std::vector<std::string> type_names_;  // of all type records, in their order
};

bool has(const wire::SnapshotHeader& header, wire::SnapshotPart part) {
  return (header.parts & static_cast<std::uint32_t>(part)) != 0;
}

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

// By read and not by map: the other side could cut a mapped file short under us.
std::vector<std::byte> read_file(int fd) {
  wire::SnapshotHeader header{};
  if (::pread(fd, &header, sizeof(header), 0) != sizeof(header)) return {};
  std::vector<std::byte> bytes(std::min(header.used_bytes, wire::kMaxSnapshotBytes));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

base::Result<model::Snapshot> read_snapshot(const base::Fd& file) {
  return parse_snapshot(read_file(file.get()));
}

base::Result<model::Snapshot> parse_snapshot(std::span<const std::byte> file) {
  wire::SnapshotHeader header{};
  if (file.size() < sizeof(header))
    return base::Error{base::ErrorCode::Malformed, "the snapshot file is too short"};
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.magic != wire::kSnapshotMagic || header.version != wire::kSnapshotVersion) {
    return base::Error{base::ErrorCode::Malformed, "the snapshot file has another version"};
  }
  model::Snapshot out;
  out.python = wire::python_name(header.python_version);
  out.walk_s = seconds(header.walk_ns);
  out.whole_s = seconds(header.walk_ns) + seconds(header.dominator_ns) + seconds(header.tensor_ns) +
                seconds(header.name_ns);
  out.table_bytes = header.table_bytes;
  out.objects = header.objects;
  out.object_bytes = header.object_bytes;
  out.storage_bytes = header.storage_bytes;
  out.device_bytes = header.device_bytes;
  out.cuda_allocated_bytes = header.cuda_allocated_bytes;
  out.cuda_reserved_bytes = header.cuda_reserved_bytes;
  out.has_torch = has(header, wire::SnapshotPart::TorchThere);
  out.has_tensors = has(header, wire::SnapshotPart::Tensors);
  out.has_holders = has(header, wire::SnapshotPart::Holders);
  out.is_exact = has(header, wire::SnapshotPart::Dominators);
  out.is_at_end = has(header, wire::SnapshotPart::AtEnd);
  out.is_whole = has(header, wire::SnapshotPart::Walked) && has(header, wire::SnapshotPart::Complete) &&
                 !has(header, wire::SnapshotPart::OutOfMemory) && !has(header, wire::SnapshotPart::OutOfRoom);
  out.is_finished = has(header, wire::SnapshotPart::Complete) || has(header, wire::SnapshotPart::OutOfMemory);
  Records(file, out).read_all(sizeof(header), std::min<std::uint64_t>(header.used_bytes, file.size()));
  std::stable_sort(out.types.begin(), out.types.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::stable_sort(out.tensors.begin(), out.tensors.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return out;
}

}  // namespace lowtide::observe
