// Everything that was read at one moment of a watched run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/phase.h"
#include "model/process.h"
#include "model/sample.h"
#include "model/site.h"

namespace lowtide::model {

// The values of smaps_rollup. Reading them is expensive, so it is not done at every tick.
struct PssReading {
  std::uint64_t pss_bytes = 0;
  std::uint64_t anon_bytes = 0;  // the parts of pss_bytes
  std::uint64_t shmem_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t private_dirty_bytes = 0;
  std::uint64_t uss_bytes = 0;
};

struct ProcessReading {
  ProcessId id{};
  std::uint64_t own_bytes =
      0;  // its private memory and the shared memory that it maps: the series that is judged
  std::uint64_t rss_bytes = 0;
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t writable_bytes = 0;  // private memory that may be written, resident or not; 0: unknown
  std::optional<PssReading> pss = {};
};

// The process tree, with shared pages counted once.
struct TargetReading {
  // Anonymous + shared memory + swap: the series that is judged. With shared memory that no process maps.
  std::uint64_t bytes = 0;
  std::uint64_t unmapped_bytes = 0;  // the part of `bytes` that no process maps
  std::uint64_t file_bytes = 0;      // resident pages of files: the kernel takes them back when it needs to
  std::uint64_t rss_bytes = 0;       // the plain sum, that counts shared pages once per process
  std::uint32_t processes = 0;
  // False while pages may have moved between processes since PSS was last read:
  // growth by copy-on-write is then not in `bytes`, and flat is not flat.
  bool exact = false;
};

struct CgroupReading {
  std::uint64_t current_bytes = 0;
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t kernel_bytes = 0;
  std::optional<std::uint64_t> limit_bytes = {};  // the tightest above the job
  std::uint64_t oom_kills = 0;
};

struct HostReading {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
  std::uint64_t shm_bytes = 0;                  // used in /dev/shm
  std::optional<double> pressure_percent = {};  // time in which some task waited for memory, last 10 s
};

// A file system in memory that the job uses. Its files count against its size as well as against the limit of
// the memory.
struct TmpfsReading {
  int index = 0;
  std::uint64_t used_bytes = 0;  // by all files, those of other jobs too
  std::uint64_t total_bytes = 0;
  std::uint64_t job_bytes = 0;  // files that the job made
};

struct GpuReading {
  int index = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;
};

enum class Framework : std::uint32_t { Torch, Jax };

constexpr std::string_view to_string(Framework framework) {
  switch (framework) {
    case Framework::Torch:
      return "torch";
    case Framework::Jax:
      return "JAX";
  }
  return {};
}

// What the allocator of torch or JAX reports of a GPU.
struct TorchReading {
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t inactive_split_bytes = 0;  // of what is reserved: free, and cut off from larger blocks
  std::uint64_t retries = 0;               // times that it gave everything back and asked again
  std::uint64_t ooms = 0;
  std::uint64_t pinned_bytes = 0;  // of the host, for copies to any GPU
  Framework framework = Framework::Torch;
};

struct GpuProcessReading {
  int index = 0;
  ProcessId id{};
  std::uint64_t bytes = 0;  // as the driver says; where it does not, what torch reserves
  std::optional<TorchReading> torch = {};
};

struct Tick {
  double at_s = 0;
  double step = kUnknown;
  TargetReading target;
  std::vector<ProcessReading> processes;
  std::optional<CgroupReading> cgroup;
  std::optional<HostReading> host;
  std::vector<TmpfsReading> tmpfs;
  std::vector<GpuReading> gpus;
  std::vector<GpuProcessReading> gpu_processes;
  std::vector<HeapReading> heaps;        // of processes with an agent in them
  std::vector<SiteReading> sites;        // those worth keeping
  std::vector<Phase> phases;             // that something has happened to
  std::vector<PhaseVisit> phase_visits;  // that have ended
};

}  // namespace lowtide::model
