// What only a recording has: processes, GPUs, where the memory of the machine
// went, and what the measurement cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/code_line.h"
#include "model/gpu_blocks.h"
#include "model/memory_part.h"
#include "model/phase.h"
#include "model/process.h"
#include "model/series_report.h"
#include "model/tick.h"
#include "model/verdict.h"

namespace lowtide::model {

// The latest reading of a process; PSS and USS are dear and may be older, or never read.
struct ProcessBytes {
  std::uint64_t rss_bytes = 0;
  std::optional<std::uint64_t> pss_bytes;
  std::optional<std::uint64_t> uss_bytes;
  std::optional<double> pss_age_s;  // by how much PSS and USS are older than the rest
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t swap_bytes = 0;
};

// Memory when the process tree was at the first and at the last end of its floor: the same two moments for
// all processes, so that they can be added up. 0 where it did not run.
struct Ends {
  std::uint64_t early_bytes = 0;
  std::uint64_t late_bytes = 0;
};

// One process, or a worker with all those that were respawned in its place.
struct ProcessReport {
  ProcessInfo info;             // of the latest of them; started_s is of the first
  std::uint32_t processes = 1;  // how many stand behind the series
  SeriesReport series;          // of its own_bytes
  ProcessBytes bytes;
  std::optional<double> growth_share;  // of the growth of the tree's floor; absent when that did not grow
  Ends ends = {};                      // of its private memory, and of pages that it shares with children
};

// Processes that ended too soon to be judged one by one. Most start and end
// between two ticks: of those only bounds are known, and not in every recording.
struct ShortLived {
  std::uint64_t count = 0;                            // that have readings
  std::uint64_t largest_bytes = 0;                    // the most that one of them had
  std::optional<std::uint64_t> unseen_at_least = {};  // without any reading
  std::optional<std::uint64_t> unseen_at_most = {};   // threads and processes of others are in this
};

// What one line has allocated on a GPU and still lives, as far as torch recorded its stacks.
struct GpuLineReport {
  GpuLineKind kind = GpuLineKind::Line;
  CodeLine line = {};
  std::uint64_t bytes = 0;       // an estimate: growth is counted for the steps that were not recorded too
  std::uint64_t seen_bytes = 0;  // with this stack
  std::optional<double> growth_per_step = {};  // absent: not known
};

// What torch's allocator had on a GPU at the last snapshot that describes it, in the process that has most.
struct GpuBlocksReport {
  double at_s = 0;
  GpuBlocks blocks = {};
  std::uint64_t growth_steps = 0;  // recorded, between the two snapshots that the growth is taken from
  std::vector<GpuPool> pools = {};
  std::vector<GpuLineReport> lines = {};       // most first; they add up to what torch has allocated
  std::vector<GpuLineReport> peak_lines = {};  // the same at the peak of the step `blocks.peak_step`
};

// The last request of torch that failed on a GPU.
struct GpuOom {
  std::optional<double> at_s = {};
  std::uint64_t asked_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::optional<CodeLine> line = {};  // that asked; absent: not known
  std::vector<MemoryPart> parts =
      {};  // what filled the GPU then; empty: the job went on, or no snapshot was taken
};

struct GpuReport {
  int index = 0;
  std::string name;
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::optional<std::int64_t> pid;             // the process of the target that has most on it
  std::optional<std::uint64_t> process_bytes;  // what that process has
  std::vector<std::int64_t> pids = {};         // of all processes of the target on this GPU
  SeriesReport series;  // of what torch has allocated in all of them, where torch reports it
  // Where torch reports its counters: the latest ones, and how each part of process_bytes changed.
  std::optional<TorchReading> torch = {};
  std::optional<Verdict> allocated = {};
  std::optional<Verdict> reserved = {};
  std::optional<Verdict> outside =
      {};  // what the driver counts and torch does not: context, NCCL, other libraries
  std::optional<Verdict> pinned = {};  // of the host, for copies to any GPU
  // What filled it at the last snapshot, and at the one with most; the second only if it is another.
  std::optional<GpuLedger> ledger = {};
  std::optional<GpuLedger> peak_ledger = {};
  std::optional<GpuBlocksReport> blocks = {};
  std::optional<GpuOom> oom = {};
};

inline std::optional<std::uint64_t> outside_torch_bytes(const GpuReport& gpu) {
  // A process always has something outside, its context: where there is nothing, the driver did not tell.
  if (!gpu.torch || gpu.torch->framework != Framework::Torch || !gpu.process_bytes ||
      *gpu.process_bytes <= gpu.torch->reserved_bytes)
    return std::nullopt;
  return *gpu.process_bytes - gpu.torch->reserved_bytes;
}

struct PhaseReport {
  std::int64_t pid = 0;
  Phase phase;
};

// A file system in memory, at the last reading.
struct TmpfsReport {
  std::string path;  // as the job sees it
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;  // by all files, those of other jobs too
  std::uint64_t job_bytes = 0;
  bool was_full = false;  // when a process of the job failed
};

// Where the memory of the cgroup went: tree + page cache + kernel + rest = current.
struct Reconciliation {
  double at_s = 0;
  bool exact = false;  // the tree's PSS was read at that moment
  std::uint64_t tree_bytes = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t kernel_bytes = 0;
  std::uint64_t current_bytes = 0;
  std::int64_t rest_bytes = 0;  // others in the same cgroup, or what the readings differ by
};

struct OverheadReport {
  std::optional<double> monitor_cpu_share;
  std::optional<std::uint64_t> monitor_rss_bytes;
  std::optional<std::uint64_t> samples_lost;
  std::string agent = "off";  // off, on, switched-off
  std::string note;
  std::uint64_t allocation_samples = 0;  // of the agent, in all processes
  std::uint64_t allocation_samples_dropped = 0;
  double sampling_s = 0;  // of the job's time, spent with them
  double asking_s = 0;    // and with what its interpreters were asked for: steps, phases, torch's counters
  std::uint64_t snapshots = 0;                // snapshots of the objects of its Python processes
  double pauses_s = 0;                        // how long these processes were stopped for snapshots
  std::vector<std::string> not_entered = {};  // processes without the agent, and why; at most 100
  std::uint64_t not_entered_count = 0;
};

// How a recording stands: its run goes on, it was closed in order, or it breaks off.
enum class Ending { Unknown, Running, Closed, CutOff };

constexpr std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Unknown:
      return "unknown";
    case Ending::Running:
      return "running";
    case Ending::Closed:
      return "closed";
    case Ending::CutOff:
      return "cut-off";
  }
  return {};
}

}  // namespace lowtide::model
