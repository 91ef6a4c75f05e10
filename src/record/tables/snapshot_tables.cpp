#include "record/tables/snapshot_tables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::record {
namespace {

constexpr std::size_t kMostNodes = 300;
constexpr std::size_t kMostTensors = 60;
constexpr std::size_t kMostTypes = 40;
constexpr std::size_t kMostStaged = 64;

std::int64_t stored(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMost));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const std::int64_t side : shape) out += (out.empty() ? "" : ",") + std::to_string(side);
  return out;
}

// A small part of what it is in, and without a name of its own.
bool is_one_of_many(const std::vector<model::HeldNode>& nodes, std::size_t at) {
  const auto holder = nodes[at].holder;
  return holder && *holder < at && held_bytes(nodes[at]) < held_bytes(nodes[*holder]) / 4 &&
         !model::is_named_within(nodes[at], nodes[*holder]);
}

const char* cache_text(model::CacheKind kind) {
  switch (kind) {
    case model::CacheKind::None:
      return "";
    case model::CacheKind::Bounded:
      return "bounded";
    case model::CacheKind::Unbounded:
      return "unbounded";
  }
  return "";
}

std::vector<model::TypeCount> telling_types(const std::vector<model::TypeCount>& types) {
  // Small themselves, and known by them is why much is held (explain/causes).
  constexpr std::array<std::string_view, 4> kTelling = {"traceback", "cell", "function",
                                                        "collections.OrderedDict"};
  std::vector<model::TypeCount> out;
  out.reserve(kMostTypes + kTelling.size());
  for (const model::TypeCount& type : types) {
    const bool is_telling = std::find(kTelling.begin(), kTelling.end(), type.type) != kTelling.end();
    if (out.size() < kMostTypes || is_telling) out.push_back(type);
  }
  return out;
}

}  // namespace

std::vector<model::HeldNode> largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(nodes.size());
  for (const model::HeldNode& node : nodes) sizes.push_back(held_bytes(node));
  std::uint64_t least = 0;
  if (sizes.size() > most) {
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(most), sizes.end(),
                     std::greater<>());
    least = sizes[most] + 1;
  }
  std::vector<model::HeldNode> out;
  std::vector<std::optional<std::size_t>> places(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const auto above = nodes[at].holder;
    const auto place = above && *above < at ? places[*above] : std::nullopt;
    places[at] = place;
    if (held_bytes(nodes[at]) < least || is_one_of_many(nodes, at)) continue;
    places[at] = out.size();
    out.push_back(nodes[at]);
    out.back().holder = place;
  }
  return out;
}

base::Result<SnapshotTables> SnapshotTables::create(Database& database) {
  SnapshotTables tables;
  struct Wanted {
    Statement& into;
    const char* sql;
  };
  const std::array<Wanted, 4> wanted = {{
      {tables.put_snapshot_, "INSERT INTO snapshot VALUES(?,?,?,?,?,?,?,?,?,?,?)"},
      {tables.put_node_, "INSERT INTO snapshot_node VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {tables.put_tensors_, "INSERT INTO snapshot_tensors VALUES(NULL,?,?,?,?,?,?,?,?,?)"},
      {tables.put_type_, "INSERT INTO snapshot_type VALUES(NULL,?,?,?,?)"},
  }};
  for (const Wanted& each : wanted) {
    auto prepared = database.prepare(each.sql);
    if (!prepared) return std::move(prepared).error();
    each.into = std::move(prepared).value();
  }
  return tables;
}

void SnapshotTables::stage(model::ProcessId process, const model::Snapshot& snapshot) {
  if (staged_.size() >= kMostStaged) return;
  Staged staged{++last_id_, {process, snapshot}};
  model::Snapshot& kept = staged.recorded.snapshot;
  kept.nodes = largest_nodes(snapshot.nodes, kMostNodes);
  kept.tensors.resize(std::min(kept.tensors.size(), kMostTensors));
  kept.types = telling_types(snapshot.types);
  staged_.push_back(std::move(staged));
}

int SnapshotTables::write() {
  int status = SQLITE_OK;
  for (std::size_t at = 0; at < staged_.size() && status == SQLITE_OK; ++at) status = write(staged_[at]);
  return status;
}

int SnapshotTables::write(const Staged& staged) {
  const model::Snapshot& snapshot = staged.recorded.snapshot;
  Statement& put = put_snapshot_;
  put.bind(0, staged.id);
  put.bind(1, snapshot.at_s);
  put.bind(2, static_cast<std::int64_t>(staged.recorded.process));
  put.bind(3, snapshot.python);
  put.bind(4, stored(snapshot.objects));
  put.bind(5, stored(snapshot.object_bytes));
  put.bind(6, stored(snapshot.storage_bytes));
  put.bind(7, stored(snapshot.device_bytes));
  put.bind(8, snapshot.pause_s);
  put.bind(9, snapshot.whole_s);
  put.bind(10, static_cast<std::int64_t>((snapshot.is_whole ? 1 : 0) | (snapshot.is_exact ? 2 : 0) |
                                         (snapshot.has_torch ? 4 : 0) | (snapshot.has_tensors ? 8 : 0) |
                                         (snapshot.is_at_end ? 16 : 0)));
  int status = put.run();
  if (status == SQLITE_OK) status = write_nodes(staged);
  for (std::size_t at = 0; at < snapshot.tensors.size() && status == SQLITE_OK; ++at) {
    const model::TensorCount& tensors = snapshot.tensors[at];
    const std::string shape = shape_text(tensors.shape);  // is read when the row is written
    put_tensors_.bind(0, staged.id);
    put_tensors_.bind(1, tensors.device);
    put_tensors_.bind(2, tensors.dtype);
    put_tensors_.bind(3, shape);
    put_tensors_.bind(4, static_cast<std::int64_t>(tensors.requires_grad ? 1 : 0));
    put_tensors_.bind(5, stored(tensors.count));
    put_tensors_.bind(6, stored(tensors.bytes));
    put_tensors_.bind(7, stored(tensors.storages));
    put_tensors_.bind(8, stored(tensors.storage_bytes));
    status = put_tensors_.run();
  }
  for (std::size_t at = 0; at < snapshot.types.size() && status == SQLITE_OK; ++at) {
    put_type_.bind(0, staged.id);
    put_type_.bind(1, snapshot.types[at].type);
    put_type_.bind(2, stored(snapshot.types[at].count));
    put_type_.bind(3, stored(snapshot.types[at].bytes));
    status = put_type_.run();
  }
  return status;
}

int SnapshotTables::write_nodes(const Staged& staged) {
  int status = SQLITE_OK;
  for (std::size_t at = 0; at < staged.recorded.snapshot.nodes.size() && status == SQLITE_OK; ++at) {
    const model::HeldNode& node = staged.recorded.snapshot.nodes[at];
    const auto bind_count = [&](int place, const std::optional<std::uint64_t>& value) {
      value ? put_node_.bind(place, stored(*value)) : put_node_.bind_null(place);
    };
    put_node_.bind(0, staged.id);
    put_node_.bind(1, node.path);
    put_node_.bind(2, node.type);
    put_node_.bind(3, stored(node.address));
    bind_count(4, node.length);
    put_node_.bind(5, stored(node.retained_bytes));
    put_node_.bind(6, stored(node.device_bytes));
    put_node_.bind(7, stored(node.retained_objects));
    put_node_.bind(8, cache_text(node.cache));
    put_node_.bind(9, stored(node.bound));
    bind_count(10, node.holder ? std::optional<std::uint64_t>(*node.holder) : std::nullopt);
    put_node_.bind(11, node.file);
    put_node_.bind(12, static_cast<std::int64_t>(node.line));
    put_node_.bind(13, static_cast<std::int64_t>(node.depth));
    status = put_node_.run();
  }
  return status;
}

}  // namespace lowtide::record
