// The ids of all findings: programs rely on them (docs/json.md), and docs/causes.md has this table.
#pragma once

#include <string_view>

#include "model/severity.h"

namespace lowtide::model {

enum class FindingTheme { Variable, Growth, NoLeak, Run };

struct FindingRow {
  std::string_view id;
  FindingTheme theme;
  Severity gravest;           // before the time that is left is weighed: that can make high critical
  std::string_view known_by;  // one line
  std::string_view made_in;   // below src/explain/findings
};

// Within a theme in the order in which they are tried.
inline constexpr FindingRow kFindings[] = {
    {"hooks-kept", FindingTheme::Variable, Severity::High,
     "a module or tensor of torch whose dict of hooks gets longer, and holds most of what the variable "
     "gained",
     "held/held_causes.cpp"},
    {"default-value-kept", FindingTheme::Variable, Severity::High,
     "a container that is the default value of a parameter, or in it", "held/held_causes.cpp"},
    {"tracebacks-kept", FindingTheme::Variable, Severity::High,
     "exceptions with tracebacks below the variable: they hold every local variable of every frame",
     "held/held_causes.cpp"},
    {"hidden-state-chain", FindingTheme::Variable, Severity::High,
     "a tensor, no container, that keeps more and more functions of an autograd graph; or functions that no "
     "single variable holds, and a line that assigns a variable from itself",
     "held/held_causes.cpp"},
    {"views-kept", FindingTheme::Variable, Severity::High,
     "as many tensors as items came to it; their elements are less than a tenth of their storages, and these "
     "are "
     "what the variable retains",
     "held/held_causes.cpp"},
    {"hook-keeps-activations", FindingTheme::Variable, Severity::High,
     "it holds tensors, and they are allocated in a function that a module calls, and that is not `forward`",
     "held/held_causes.cpp"},
    {"closures-kept", FindingTheme::Variable, Severity::High,
     "as many functions and closure cells as items came to it, and no objects of other classes",
     "held/held_causes.cpp"},
    {"timers-kept", FindingTheme::Variable, Severity::High,
     "an event loop of asyncio to which timers (`call_later`) came", "held/held_causes.cpp"},
    {"pinned-memory-kept", FindingTheme::Variable, Severity::High,
     "torch's count of pinned host memory grew with the variable", "held/held_causes.cpp"},
    {"shared-batches-kept", FindingTheme::Variable, Severity::High,
     "it holds tensors, the process has workers, and its shared memory grew with the variable",
     "held/held_causes.cpp"},
    {"one-rank-differs", FindingTheme::Variable, Severity::High,
     "processes beside it that run the same functions are flat", "held/held_causes.cpp"},
    {"worker-cache", FindingTheme::Variable, Severity::High,
     "filled in `__getitem__` of a DataLoader's worker", "held/held_causes.cpp"},
    {"loss-graph-kept", FindingTheme::Variable, Severity::High,
     "a container to which functions of autograd graphs came", "held/held_causes.cpp"},
    {"growing-tensor", FindingTheme::Variable, Severity::High,
     "one tensor or array that is as large as what the variable retains", "held/held_causes.cpp"},
    {"checkpoint-copies", FindingTheme::Variable, Severity::High,
     "as many state dicts as items came to it, and their copies are on the stack", "held/held_causes.cpp"},
    {"writer-backlog", FindingTheme::Variable, Severity::High,
     "a queue of the standard library, or its container; or an executor of `concurrent.futures` with tasks "
     "that "
     "wait",
     "held/held_causes.cpp"},
    {"validation-outputs-kept", FindingTheme::Variable, Severity::High,
     "evaluations allocated what the process keeps, or the function that allocates has such a name",
     "held/held_causes.cpp"},
    {"unbounded-cache", FindingTheme::Variable, Severity::High,
     "`functools.cache`, or `lru_cache(maxsize=None)`", "held/held_causes.cpp"},
    {"logger-history", FindingTheme::Variable, Severity::High,
     "an attribute of an object whose class is a logger", "held/held_causes.cpp"},
    {"dataset-cache", FindingTheme::Variable, Severity::High, "filled in `__getitem__`",
     "held/held_causes.cpp"},
    {"holder", FindingTheme::Variable, Severity::High,
     "a variable that gained and never lost; no more is known", "held/held_causes.cpp"},

    {"native-leak", FindingTheme::Growth, Severity::High, "blocks that native code allocates and never frees",
     "sites.cpp"},
    {"leaking-site", FindingTheme::Growth, Severity::High,
     "blocks of one line that are never freed, of whatever holder", "sites.cpp"},
    {"growing-site", FindingTheme::Growth, Severity::Medium,
     "the live memory of a line grew; too early to call it a leak", "sites.cpp"},
    {"copy-on-write", FindingTheme::Growth, Severity::High,
     "workers' private memory grows while their resident set does not", "shared/copy_on_write.cpp"},
    {"shared-memory-grows", FindingTheme::Growth, Severity::High, "shared memory of the tree grows",
     "shared/shared_memory.cpp"},
    {"first-touch", FindingTheme::Growth, Severity::High,
     "live memory was larger than resident memory, then resident memory grew while the process mapped no "
     "more "
     "memory",
     "first_touch.cpp"},
    {"allocator-retention", FindingTheme::Growth, Severity::High, "resident memory grew, live memory did not",
     "allocator.cpp"},
    {"thread-arenas", FindingTheme::Growth, Severity::High,
     "the same, and most is allocated in threads: glibc has a heap for each", "allocator.cpp"},
    {"trim-trial", FindingTheme::Growth, Severity::Low,
     "memory that `malloc_trim` returned to the kernel at the end (`--trim-trial`)", "trim_trial.cpp"},
    {"processes-pile-up", FindingTheme::Growth, Severity::High,
     "the tree grows, and so does the number of its processes; rising in every sixth of a run of half a "
     "minute it settles the verdict, whatever each process does",
     "leak.cpp"},
    {"leak-in-process", FindingTheme::Growth, Severity::High, "the floor of one process rises as a leak does",
     "leak.cpp"},
    {"growth-in-process", FindingTheme::Growth, Severity::Medium,
     "one process grows, and its verdict is open", "leak.cpp"},
    {"phase-keeps", FindingTheme::Growth, Severity::Medium,
     "memory that one phase allocates at each visit is not freed", "phases.cpp"},
    {"gpu-memory-leaks", FindingTheme::Growth, Severity::High,
     "the floor of a GPU, or of what torch has allocated on it, rises as a leak does", "gpu/gpu.cpp"},
    {"gpu-memory-grows", FindingTheme::Growth, Severity::Medium, "the same, not settled yet", "gpu/gpu.cpp"},
    {"gpu-fragmentation", FindingTheme::Growth, Severity::Medium,
     "torch reserves more and more while its tensors do not grow", "gpu/gpu.cpp"},
    {"gpu-outside-torch", FindingTheme::Growth, Severity::High,
     "the driver's count of the process rises, torch's does not", "gpu/gpu.cpp"},
    {"pinned-memory", FindingTheme::Growth, Severity::High,
     "torch's count of pinned host memory rises like a leak", "gpu/gpu.cpp"},

    {"warmup-ended", FindingTheme::NoLeak, Severity::Info, "the floor rose and has stopped", "shape.cpp"},
    {"validation-spikes", FindingTheme::NoLeak, Severity::Info,
     "excursions in an evaluation, after which the floor is where it was", "shape.cpp"},
    {"spikes-recover", FindingTheme::NoLeak, Severity::Info, "such excursions elsewhere", "shape.cpp"},
    {"gc-sawtooth", FindingTheme::NoLeak, Severity::Info,
     "long climbs, sudden falls, and no variable that is filled and emptied: garbage that waits for the "
     "collector",
     "shape.cpp"},
    {"bounded-cache", FindingTheme::NoLeak, Severity::Info,
     "what grew is a cache with a bound (`functools.lru_cache`, a deque with a `maxlen`), or a container "
     "that filled up and has gained nothing since",
     "holders.cpp"},
    {"wrapper-is-stable", FindingTheme::NoLeak, Severity::Info,
     "the process that started the job is flat while a process of the job grows", "leak.cpp"},
    {"worker-overhead", FindingTheme::NoLeak, Severity::Info, "workers that hold much and grow by nothing",
     "overhead.cpp"},
    {"overhead", FindingTheme::NoLeak, Severity::Info, "the same, of other children", "overhead.cpp"},
    {"respawned-workers", FindingTheme::NoLeak, Severity::Info,
     "the same, and new ones take their places every epoch", "overhead.cpp"},
    {"short-lived-processes", FindingTheme::NoLeak, Severity::Info,
     "processes that ended too soon to be listed one by one", "overhead.cpp"},
    {"page-cache", FindingTheme::NoLeak, Severity::Info,
     "pages of files, which the kernel can reclaim at any time", "page_cache.cpp"},

    {"limit-ahead", FindingTheme::Run, Severity::Critical, "a leak, a limit, and less than 30 days between",
     "shape.cpp"},
    {"oom-killed", FindingTheme::Run, Severity::Critical,
     "the kernel killed a process of the job for lack of memory", "ending.cpp"},
    {"cuda-out-of-memory", FindingTheme::Run, Severity::Critical,
     "an allocation on a GPU failed, and the job with it", "ending.cpp"},
    {"tmpfs-full", FindingTheme::Run, Severity::Critical,
     "a file system in memory was full when a process failed: SIGBUS, or a status of the job that is not 0",
     "shared/tmpfs_full.cpp"},
    {"job-ended-by-signal", FindingTheme::Run, Severity::Medium, "the job was killed by a signal",
     "ending.cpp"},
    {"process-ended-by-signal", FindingTheme::Run, Severity::Low, "one of its processes was", "ending.cpp"},
    {"agent-switched-off", FindingTheme::Run, Severity::Low, "the agent stopped measuring, and why",
     "allocator.cpp"},
    {"samples-dropped", FindingTheme::Run, Severity::Low, "the agent lost samples: sizes are too small",
     "allocator.cpp"},
    {"recording-cut-off", FindingTheme::Run, Severity::Low,
     "the recording was not closed: the monitor was killed, or the machine went down", "recording.cpp"},
    {"readings-lost", FindingTheme::Run, Severity::Low, "readings could not be written", "recording.cpp"},
};

// One of the table; a name that is not in it does not compile.
class FindingId {
 public:
  constexpr FindingId() = default;
  // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): a literal is meant to convert
  consteval FindingId(const char* id) : row_(kFindings) {
    while (row_->id != id) ++row_;  // past the end is no constant expression
  }

  // Of a finding that has its id.
  [[nodiscard]] constexpr const FindingRow& row() const { return *row_; }
  // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): it is a text for everyone else
  constexpr operator std::string_view() const { return row_ == nullptr ? std::string_view() : row_->id; }
  friend constexpr bool operator==(FindingId, FindingId) = default;

 private:
  const FindingRow* row_ = nullptr;
};

}  // namespace lowtide::model
