// What a live Python process held at one moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_blocks.h"

namespace lowtide::model {

struct TypeCount {
  std::string type;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Tensors that look alike.
struct TensorCount {
  std::string device;
  std::string dtype;
  std::vector<std::int64_t> shape;
  bool requires_grad = false;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;          // of their elements
  std::uint64_t storages = 0;       // that no group before this one has counted
  std::uint64_t storage_bytes = 0;  // of these
};

enum class CacheKind { None, Bounded, Unbounded };

constexpr std::string_view to_string(CacheKind kind) {
  switch (kind) {
    case CacheKind::None:
      return "none";
    case CacheKind::Bounded:
      return "bounded";
    case CacheKind::Unbounded:
      return "unbounded";
  }
  return {};
}

// An object that keeps others alive.
struct HeldNode {
  std::string path;  // as Python would write it
  std::string type;
  std::uint64_t address = 0;
  std::optional<std::uint64_t> length;
  std::uint64_t retained_bytes = 0;  // host memory that it retains
  std::uint64_t device_bytes = 0;    // memory of tensors on devices that it retains
  std::uint64_t retained_objects = 0;
  CacheKind cache = CacheKind::None;
  std::uint64_t bound = 0;            // of a bounded cache
  std::optional<std::size_t> holder;  // which earlier node of the snapshot keeps it
  std::uint32_t depth = 0;            // steps of the path
  std::string file;                   // of the frame that the path begins in; empty: a module
  std::uint32_t line = 0;             // where that frame stood
};

// Wherever it is.
inline std::uint64_t held_bytes(const HeldNode& node) {
  return node.retained_bytes + node.device_bytes;
}

// True when the way from the holder is one of names: attributes, variables, keys that are texts. False for an
// element, of which there are many, and which comes and goes.
inline bool is_named_within(const HeldNode& node, const HeldNode& holder) {
  if (!node.path.starts_with(holder.path)) return false;
  for (std::size_t at = holder.path.size(); at < node.path.size(); ++at) {
    const bool is_text_key = node.path[at] == '[' && at + 1 < node.path.size() && node.path[at + 1] == '"';
    if ((node.path[at] == '[' && !is_text_key) || node.path[at] == '{') return false;
  }
  return true;
}

// Objects of one type that a node holds, without those that a listed node below it holds.
struct HeldType {
  std::size_t node = 0;  // in the snapshot
  std::string type;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;            // with the storages of tensors, on host and devices
  std::uint64_t graph_functions = 0;  // of autograd graphs, also those without a Python object
};

enum class TensorUse { Parameter, Gradient, Saved };

constexpr std::string_view to_string(TensorUse use) {
  switch (use) {
    case TensorUse::Parameter:
      return "parameter";
    case TensorUse::Gradient:
      return "gradient";
    case TensorUse::Saved:
      return "saved";
  }
  return {};
}

// Storages of tensors of one use that a node holds, without those that a listed node below it holds. Storages
// of no known use are left out. `Saved`: found first through a function of an autograd graph.
struct HeldUse {
  std::optional<std::size_t> node = {};  // in the snapshot; absent: no listed node holds them
  TensorUse use = TensorUse::Parameter;
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};

struct Snapshot {
  std::int64_t pid = 0;
  double at_s = 0;     // of the recording; or since the first of several
  std::string python;  // "3.11"
  double pause_s = 0;  // of the interpreter, while it was forked
  double fork_s = 0;   // of the pause: on a processor, not waiting for one; not recorded
  double walk_s = 0;   // in the child: to count every object
  double whole_s = 0;  // in the child, all of it
  double cpu_s = 0;    // CPU time of the child; 0: not known; not recorded
  std::uint64_t table_bytes = 0;
  std::uint64_t objects = 0;
  std::uint64_t object_bytes = 0;
  std::uint64_t storage_bytes = 0;         // of tensors in host memory
  std::uint64_t device_bytes = 0;          // of tensors on devices
  std::uint64_t cuda_allocated_bytes = 0;  // by torch on all GPUs at this moment; 0: unknown
  std::uint64_t cuda_reserved_bytes = 0;
  bool has_torch = false;
  bool has_tensors = false;  // torch answered
  bool has_holders = false;
  bool is_exact = false;             // what is retained: else it is an upper bound
  bool is_whole = false;             // every object was counted
  bool is_finished = true;           // false: the child that walks ended before it was done
  bool is_at_end = false;            // the interpreter was about to end: variables of functions are gone
  std::vector<TypeCount> types;      // most bytes first
  std::vector<TensorCount> tensors;  // the same
  std::vector<HeldNode> nodes;       // holders before what they hold
  std::vector<HeldType> contents;    // of the nodes; empty where the agent did not count them
  std::vector<HeldUse> uses;         // of tensors
  GpuBlocks gpu_blocks = {};
  std::vector<GpuPool> gpu_pools;
  std::vector<GpuLine> gpu_lines;
  std::vector<GpuPeak> gpu_peaks;
};

// All storages of one use, on the host and on devices.
inline std::uint64_t bytes_of_use(const Snapshot& snapshot, TensorUse use) {
  std::uint64_t out = 0;
  for (const HeldUse& held : snapshot.uses) {
    if (held.use == use) out += held.host_bytes + held.device_bytes;
  }
  return out;
}

}  // namespace lowtide::model
