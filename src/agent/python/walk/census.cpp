#include "agent/python/walk/census.h"

#include "agent/heap/clock.h"
#include "agent/heap/memory.h"
#include "agent/heap/system_call.h"
#include "agent/python/jax_profile.h"
#include "agent/python/marks.h"
#include "agent/python/python.h"
#include "agent/python/text.h"
#include "agent/python/walk/child_memory.h"
#include "agent/python/walk/contents.h"
#include "agent/python/walk/object_graph.h"
#include "agent/python/walk/paths.h"
#include "agent/python/walk/roots.h"
#include "agent/python/walk/snapshot_file.h"
#include "agent/python/walk/tensors.h"

namespace lowtide::agent {
namespace {

constexpr std::uint32_t kMostNodes = 4096;
constexpr std::uint64_t kLeastRetained = 4096;  // less is not worth a name

class Timer {
 public:
  explicit Timer(std::uint64_t& into) : into_(into), began_ns_(now_ns()) {}
  ~Timer() { into_ = now_ns() - began_ns_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  std::uint64_t& into_;
  std::uint64_t began_ns_;
};

void write_types(ObjectGraph& graph, SnapshotFile& file) {
  for (std::uint32_t at = 0; at < graph.types().count(); ++at) {
    const TypeInfo& info = graph.types().at(at);
    char name[wire::kMaxNameBytes];
    const std::uint32_t bytes = write_type_name(info.type, name, sizeof(name));
    auto* record = static_cast<wire::TypeRecord*>(
        file.add(wire::SnapshotRecordKind::Type, sizeof(wire::TypeRecord) + bytes));
    if (record == nullptr) {
      return;
    }
    record->count = info.count;
    record->bytes = info.bytes;
    record->name_bytes = bytes;
    copy_bytes(record + 1, name, bytes);
    file.header().objects += info.count;
    file.header().object_bytes += info.bytes;
  }
}

// A dtype of torch has its name in its repr, which is in C: "torch.float32".
std::uint32_t write_dtype(PyObject* dtype, char* into, std::uint32_t room) {
  if (is_kind(dtype, type_flag::kType)) {
    return write_type_name(dtype, into, room);
  }
  PyObject* const name = g_calls.represent(dtype);
  return name == nullptr ? 0 : copy_python_text(name, into, room);
}

void write_tensors(const Tensors& tensors, SnapshotFile& file) {
  for (std::uint32_t at = 0; at < tensors.count(); ++at) {
    const TensorGroup& group = tensors.at(at);
    char dtype[wire::kMaxNameBytes];
    const std::uint32_t dtype_bytes = write_dtype(group.dtype, dtype, sizeof(dtype));
    std::uint32_t device_bytes = 0;
    while (group.device[device_bytes] != 0) {
      ++device_bytes;
    }
    auto* record = static_cast<wire::TensorsRecord*>(file.add(
        wire::SnapshotRecordKind::Tensors, sizeof(wire::TensorsRecord) + device_bytes + dtype_bytes));
    if (record == nullptr) {
      return;
    }
    record->count = group.count;
    record->bytes = group.bytes;
    record->storages = group.storages;
    record->storage_bytes = group.storage_bytes;
    record->requires_grad = group.requires_grad;
    record->dimensions = group.dimensions;
    copy_bytes(record->shape, group.shape, sizeof(record->shape));
    record->device_bytes = device_bytes;
    record->dtype_bytes = dtype_bytes;
    auto* text = reinterpret_cast<char*>(record + 1);
    copy_bytes(text, group.device, device_bytes);
    copy_bytes(text + device_bytes, dtype, dtype_bytes);
  }
}

// --- which objects get a name ---------------------------------------------------------------

// In half powers of two, so that the largest few thousand can be found without sorting.
std::uint32_t bucket_of(std::uint64_t bytes) {
  const auto power = static_cast<std::uint32_t>(63 - __builtin_clzll(bytes | 1));
  return power * 2 + static_cast<std::uint32_t>(power > 0 ? (bytes >> (power - 1)) & 1U : 0);
}

// One of a chain of objects of the same kind, or inside of a cache: the first says it all.
bool is_further_link(ObjectGraph& graph, Node node) {
  constexpr std::int64_t kSmall = 4;
  constexpr int kHops = 3;
  const void* type = type_of(graph.object(node));
  if (graph.types().of(graph.object(node)).role == Role::Function || is_made_here(graph.object(node))) {
    return true;
  }
  const bool may_be_link = length_of(graph.object(node)) <= kSmall;
  Node above = node;
  for (int hop = 0; hop < kHops; ++hop) {
    above = graph.dominator(above);
    if (above == kRoot) {
      return false;
    }
    PyObject* holder = graph.object(above);
    if (graph.types().of(holder).role == Role::LruCache ||
        (may_be_link && type_of(holder) == type && length_of(holder) <= kSmall)) {
      return true;
    }
  }
  return false;
}

std::uint64_t held_bytes(const ObjectGraph& graph, Node node) {
  return graph.retained_bytes(node) + graph.device_bytes(node);
}

std::uint64_t least_retained(ObjectGraph& graph) {
  std::uint32_t counts[130] = {};
  for (Node node = 1; node < graph.count(); ++node) {
    if (held_bytes(graph, node) >= kLeastRetained && !is_further_link(graph, node)) {
      ++counts[bucket_of(held_bytes(graph, node))];
    }
  }
  std::uint64_t sum = 0;
  for (std::uint32_t bucket = 129; bucket > 0; --bucket) {
    sum += counts[bucket];
    if (sum > kMostNodes) {
      return bucket + 1 >= 128 ? ~0ULL : (2ULL + ((bucket + 1) & 1U)) << ((bucket + 1) / 2 - 1);
    }
  }
  return kLeastRetained;
}

// A functools.lru_cache, and a deque with a maxlen, which drops its oldest. -1: no bound.
void describe_cache(const void* object, const TypeInfo& info, wire::NodeRecord& record) {
  if (info.role == Role::LruCache) {
    record.bound = field<std::int64_t>(object, g_python.layout.lru_cache_bound);
    record.length = length_of(field<const void*>(object, g_python.layout.lru_cache_entries));
    record.kind = record.bound < 0 ? wire::NodeKind::UnboundedCache : wire::NodeKind::BoundedCache;
  } else if (info.role == Role::Deque) {
    const auto bound = field<std::int64_t>(object, g_python.layout.deque_bound);
    if (bound >= 0) {
      record.bound = bound;
      record.kind = wire::NodeKind::BoundedCache;
    }
  }
}

class NodeWriter {
 public:
  NodeWriter(ObjectGraph& graph, const Roots& roots, SnapshotFile& file)
      : graph_(graph), roots_(roots), file_(file) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }

  void write_all() {
    written_ = static_cast<Node*>(take_memory(std::size_t{2} * kMostNodes * sizeof(Node)));
    const std::uint64_t least = least_retained(graph_);
    for (Node node = 1; written_ != nullptr && node < graph_.count() && count_ < 2 * kMostNodes; ++node) {
      if (held_bytes(graph_, node) >= least && !is_further_link(graph_, node) && !write(node)) {
        break;
      }
    }
    graph_.assign_to(written_, count_);
  }

 private:
  // The nearest holder that was written; they come in the order of their numbers.
  std::uint32_t holder_of(Node node) const {
    for (node = graph_.dominator(node); node != kRoot; node = graph_.dominator(node)) {
      std::uint32_t from = 0;
      std::uint32_t to = count_;
      while (from < to) {
        const std::uint32_t middle = (from + to) / 2;
        (written_[middle] < node ? from : to) = written_[middle] < node ? middle + 1 : middle;
      }
      if (from < count_ && written_[from] == node) {
        return from;
      }
    }
    return wire::kNoHolder;
  }

  bool write(Node node) {
    PyObject* object = graph_.object(node);
    char type[wire::kMaxNameBytes];
    char path[wire::kMaxPathBytes];
    char file[wire::kMaxPathBytes];
    PathText text;
    text.letters = path;
    text.room = sizeof(path);
    write_path(graph_, roots_, node, text);
    const std::uint32_t type_bytes = write_type_name(type_of(object), type, sizeof(type));
    const bool has_file = text.root != nullptr && text.root->file != nullptr;
    const std::uint32_t file_bytes = has_file ? copy_python_text(text.root->file, file, sizeof(file)) : 0;
    auto* record = static_cast<wire::NodeRecord*>(file_.add(
        wire::SnapshotRecordKind::Node, sizeof(wire::NodeRecord) + type_bytes + text.bytes + file_bytes));
    if (record == nullptr) {
      return false;
    }
    record->address = reinterpret_cast<std::uintptr_t>(object);
    record->length = length_of(object);
    record->retained_bytes = graph_.retained_bytes(node);
    record->device_bytes = graph_.device_bytes(node);
    record->retained_objects = graph_.retained_objects(node);
    describe_cache(object, graph_.types().of(object), *record);
    record->holder = holder_of(node);
    record->depth = text.names;
    record->line = text.root != nullptr ? text.root->line : 0;
    record->type_bytes = type_bytes;
    record->path_bytes = text.bytes;
    record->file_bytes = file_bytes;
    auto* letters = reinterpret_cast<char*>(record + 1);
    copy_bytes(letters, type, type_bytes);
    copy_bytes(letters + type_bytes, path, text.bytes);
    copy_bytes(letters + type_bytes + text.bytes, file, file_bytes);
    written_[count_++] = node;
    return true;
  }

  ObjectGraph& graph_;
  const Roots& roots_;
  SnapshotFile& file_;
  Node* written_ = nullptr;
  std::uint32_t count_ = 0;
};

constinit ObjectGraph g_graph;
constinit Roots g_roots;
constinit Tensors g_tensors;
constinit SnapshotFile g_file;

bool walk_all() {
  const Timer timer(g_file.header().walk_ns);
  if (!g_graph.begin() || !g_roots.begin()) {
    return false;
  }
  g_roots.add_lasting(g_graph);
  g_graph.walk();
  g_graph.begin_fleeting();
  g_roots.add_passing(g_graph);
  g_graph.walk();
  g_graph.begin_fleeting();
  if (!g_roots.add_unnamed(g_graph) || g_graph.is_cut()) {
    g_file.set(wire::SnapshotPart::OutOfMemory);
  } else {
    g_file.set(wire::SnapshotPart::Walked);
  }
  return true;
}

bool find_dominators() {
  const Timer timer(g_file.header().dominator_ns);
  if (g_graph.find_dominators()) {
    g_file.set(wire::SnapshotPart::Dominators);
  }
  return g_graph.has_dominators();
}

void ask_tensors(bool is_jax_on_gpu) {
  const Timer timer(g_file.header().tensor_ns);
  const bool has_torch = loaded_module("torch._C") != nullptr;
  if (!has_torch && loaded_module("jaxlib") == nullptr) {
    return;
  }
  if (has_torch) {
    g_file.set(wire::SnapshotPart::TorchThere);
  }
  if (g_tensors.ask_all(g_graph, is_jax_on_gpu)) {
    g_file.set(wire::SnapshotPart::Tensors);
    g_file.header().storage_bytes = g_tensors.host_bytes();
    g_file.header().device_bytes = g_tensors.device_bytes();
    write_tensors(g_tensors, g_file);
  }
}

// What the script read before the fork.
void write_blocks() {
  const BlocksText text = blocks_text();
  if (text.bytes == 0) {
    return;
  }
  auto* const record = static_cast<wire::BlocksRecord*>(
      g_file.add(wire::SnapshotRecordKind::Blocks, sizeof(wire::BlocksRecord) + text.bytes));
  if (record != nullptr) {
    record->text_bytes = text.bytes;
    copy_bytes(reinterpret_cast<char*>(record + 1), text.letters, text.bytes);
  }
}

// The same, of JAX.
void write_profile() {
  const JaxProfile profile = jax_profile();
  if (profile.size == 0) {
    return;
  }
  auto* const record = static_cast<wire::ProfileRecord*>(
      g_file.add(wire::SnapshotRecordKind::Profile, sizeof(wire::ProfileRecord) + profile.size));
  if (record != nullptr) {
    record->profile_bytes = profile.size;
    copy_bytes(record + 1, profile.bytes, profile.size);
  }
}

}  // namespace

void take_census(const WalkOrder& order) {
  if (!g_file.open(order.socket_path, order.target_pid)) {
    return;
  }
  wire::SnapshotHeader& header = g_file.header();
  header.forked_ns = now_ns();
  header.python_version = python_version();
  header.cuda_allocated_bytes = order.cuda_allocated_bytes;
  header.cuda_reserved_bytes = order.cuda_reserved_bytes;
  if (order.is_at_end) {
    g_file.set(wire::SnapshotPart::AtEnd);
  }
  write_blocks();
  write_profile();
  if (!begin_child_memory(static_cast<std::uint64_t>(order.memory_mb) << 20U)) {
    g_file.set(wire::SnapshotPart::OutOfMemory);
    return;
  }
  serve_python();
  if (!stop_collector() || !walk_all()) {
    g_file.set(wire::SnapshotPart::OutOfMemory);
    return;
  }
  write_types(g_graph, g_file);
  if (find_dominators()) {
    ask_tensors(order.is_jax_on_gpu);
    const Timer timer(header.name_ns);
    if (g_graph.sum_up()) {
      NodeWriter nodes(g_graph, g_roots, g_file);
      nodes.write_all();
      write_contents(g_graph, g_file);
      g_tensors.write_uses(g_graph, nodes.count(), g_file);
      g_file.set(wire::SnapshotPart::Holders);
    }
  }
  header.table_bytes = most_taken_bytes();
  g_file.set(wire::SnapshotPart::Complete);
}

}  // namespace lowtide::agent
