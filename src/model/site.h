// Places that allocate, and what of theirs is alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/process.h"

namespace lowtide::model {

enum class FrameLanguage { Python, Native };

// One call. Text is as the target has it: base::printable before it is shown.
struct Frame {
  FrameLanguage language = FrameLanguage::Native;
  std::string function = {};  // empty: not known
  std::string file = {};      // the same
  std::uint32_t line = 0;     // 0: not known
  std::string module = {};    // of native code: the file it lies in

  friend bool operator==(const Frame&, const Frame&) = default;
};

// A site within one recording.
enum class SiteId : std::uint32_t {};

// What a site allocates. All but the first were asked of the CUDA driver.
enum class SiteMemory {
  Host,        // by an allocator of the process
  Gpu,         // cuMemAlloc, cuMemCreate
  GpuPool,     // cuMemAllocAsync: part of what a pool of the driver has
  Pinned,      // host memory that the driver has allocated
  Registered,  // memory of the process, pinned later: a site of Host has it too
};

// Whether the agent sees what a process asks of the CUDA driver.
enum class CudaDriver {
  None,      // it asks for nothing
  Followed,  // there is a site for everything
  Late       // the driver was loaded before the agent
};

// A stack that allocates, in one process.
struct SiteInfo {
  SiteId id{};
  ProcessId process{};
  SiteMemory memory = SiteMemory::Host;
  std::uint32_t cuda_device = 0;   // of Gpu and GpuPool: as CUDA numbers it in the process
  std::vector<Frame> frames = {};  // innermost first, Python and native joined
  bool cut = false;                // there were more frames outside
};

// Samples that have been alive for longer than what a step needs and gives back:
// for a sixteenth of the time that the process was watched, 1 to 10 seconds. A line
// that keeps one block of ten frees nine in the same step; of these none was freed.
struct OldSamples {
  std::uint64_t bytes = 0;  // alive
  std::uint64_t samples = 0;
  std::uint64_t freed_samples = 0;  // ever, after they had become old
};

// What is known of a site at one moment. Bytes are estimates: each sample stands
// for as many as its weight says.
struct SiteReading {
  SiteId site{};
  ProcessId process{};
  std::uint64_t live_bytes = 0;
  std::uint64_t live_samples = 0;
  std::uint64_t allocated_bytes = 0;  // ever
  std::uint64_t allocated_samples = 0;
  std::uint64_t shared_bytes = 0;  // of the live ones: memory that processes share
  // One standard error of live_bytes. Absent: the recording is of before it was kept.
  std::optional<std::uint64_t> error_bytes = {};
  std::optional<OldSamples> old = {};  // absent: the recording is of before they were counted
};

// The same for all sites of a process together, and what the agent says of itself.
struct HeapReading {
  ProcessId process{};
  std::uint64_t live_bytes = 0;  // without memory that processes share
  std::uint64_t live_samples = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t samples = 0;
  std::uint64_t dropped_samples = 0;  // counted in `samples`, without a site
  std::uint64_t interval_bytes = 0;   // allocated between two samples
  std::uint64_t sampling_ns = 0;      // of the job's time, spent with samples
  std::uint64_t asking_ns = 0;        // and with what the interpreter is asked for: steps, phases, counters
  CudaDriver cuda_driver = CudaDriver::None;
  std::uint64_t cuda_modules = 0;        // of code, loaded on GPUs
  std::uint64_t cuda_unsized = 0;        // allocations of the driver whose size is not known
  std::uint64_t cuda_dropped_bytes = 0;  // allocated by the driver, without a site
};

constexpr std::string_view to_string(SiteMemory memory) {
  switch (memory) {
    case SiteMemory::Host:
      return "host";
    case SiteMemory::Gpu:
      return "gpu";
    case SiteMemory::GpuPool:
      return "gpu-pool";
    case SiteMemory::Pinned:
      return "pinned";
    case SiteMemory::Registered:
      return "registered";
  }
  return {};
}

constexpr std::string_view to_string(FrameLanguage language) {
  switch (language) {
    case FrameLanguage::Python:
      return "python";
    case FrameLanguage::Native:
      return "native";
  }
  return {};
}

}  // namespace lowtide::model
