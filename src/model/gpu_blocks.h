// What torch's CUDA allocator had at one moment: its pools, and the lines that allocated its blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::model {

// The default pool, that of a CUDA graph, or one that the job has made (torch.cuda.MemPool).
struct GpuPool {
  int device = 0;    // as CUDA numbers it in the process
  std::string name;  // "default", "CUDA graph 1", "private pool 2"
  std::uint64_t reserved_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t requested_bytes = 0;     // of these, before torch rounded them up
  std::uint64_t awaiting_bytes = 0;      // freed by the job, and still in use by another stream
  std::uint64_t split_bytes = 0;         // free, in segments that have blocks in use
  std::uint64_t whole_bytes = 0;         // free, in segments that torch can return to the driver
  std::uint64_t largest_free_bytes = 0;  // block
  std::uint64_t free_blocks = 0;
  std::uint64_t beside_small_bytes = 0;  // of split_bytes, in segments that are less than a quarter in use
  std::uint64_t mappable_bytes = 0;      // of split_bytes, what expandable segments could map elsewhere
  std::uint64_t segments = 0;
  // Of segments above 20 MiB: each is as large as the first block that did not fit elsewhere.
  std::uint64_t least_segment_bytes = 0;
  std::uint64_t most_segment_bytes = 0;
  std::uint64_t segment_sizes = 0;  // different ones
  bool is_expandable = false;
};

enum class GpuLineKind {
  Line,
  FurtherLines,  // all those that are not listed
  WithoutStack,  // allocated while torch recorded no stacks, or by a thread without Python frames
  BeforeStep     // only at a peak: what was live before the step and still is
};

constexpr std::string_view to_string(GpuLineKind kind) {
  switch (kind) {
    case GpuLineKind::Line:
      return "line";
    case GpuLineKind::FurtherLines:
      return "further lines";
    case GpuLineKind::WithoutStack:
      return "without a stack";
    case GpuLineKind::BeforeStep:
      return "before the step";
  }
  return {};
}

// Live blocks that the same line has allocated.
struct GpuLine {
  int device = 0;
  GpuLineKind kind = GpuLineKind::Line;
  std::string file = {};
  std::uint64_t line = 0;
  std::string function = {};
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  bool is_at_peak = false;  // of the step `peak_step`, and not at the moment of the snapshot
};

// The most that torch had allocated in steps that came to their end.
struct GpuPeak {
  int device = 0;
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;  // so many at least
};

inline constexpr const char* kJaxAllocator = "JAX";  // its lines are those of all arrays

struct GpuBlocks {
  std::string allocator = {};        // "native", "cudaMallocAsync"; empty: not known
  std::uint64_t steps = 0;           // of the trainer, seen by the script
  std::uint64_t recorded_steps = 0;  // of these, with stacks
  std::uint64_t peak_step = 0;       // whose peak is known by line; 0: none
  std::string no_stacks = {};        // why not in further steps; empty: they go on
};

}  // namespace lowtide::model
