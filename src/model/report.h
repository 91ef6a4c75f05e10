// What a report says, whatever it is made from and however it is shown.
//
// The fields follow the report of the contract (docs/json.md) and carry its names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/answer.h"
#include "model/finding.h"
#include "model/holder_report.h"
#include "model/series_report.h"
#include "model/shared_group.h"
#include "model/site_report.h"
#include "model/trim_trial.h"
#include "model/verdict.h"
#include "model/watched.h"

namespace lowtide::model {

enum class SourceType { Recording, Log, Series };

struct Source {
  SourceType type = SourceType::Log;
  std::string path;
  std::string format;  // what the log was recognised as, e.g. "free -m -s"; empty = several or none
  std::optional<std::string> started;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> steps;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::string command = {};  // of a recording: what was run
};

// One run of the job inside a log; a restart begins another.
struct RunReport {
  std::string name;
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::vector<SeriesReport> series;  // the one that decides the verdict of the run first
};

// The series of a run (the speaking one first) that leaks while the speaking one does not; null = none.
inline const SeriesReport* find_other_leak(const std::vector<SeriesReport>& series) {
  if (series.empty() || series.front().verdict.kind == VerdictKind::Leak) return nullptr;
  for (const SeriesReport& other : series) {
    if (other.verdict.kind == VerdictKind::Leak) return &other;
  }
  return nullptr;
}

// A GPU that leans to a leak (the surest) beside a speaking series that does not; null = none.
inline const SeriesReport* find_leaning_gpu(const std::vector<SeriesReport>& series) {
  const SeriesReport* found = nullptr;
  if (series.empty() || may_leak(series.front().verdict)) return found;
  for (const SeriesReport& other : series) {
    if (!is_gpu_memory(other.quantity) || !leans_to_leak(other.verdict)) continue;
    if (found == nullptr || other.verdict.lean->confidence > found->verdict.lean->confidence) found = &other;
  }
  return found;
}

enum class EventKind { OomKill, CudaOom, WorkerKilled, Killed, Restart, Exit };

struct Event {
  EventKind kind = EventKind::Killed;
  std::optional<double> at_s = {};
  std::uint64_t line = 0;
  std::string text = {};
  std::string stack = {};            // of Python, where it happened: see model/python_stack.h
  bool is_refused_by_torch = false;  // of a CudaOom: the GPU had enough free memory
  std::uint64_t asked_bytes = 0;     // of a CudaOom; 0: not known
  std::uint64_t free_bytes = 0;      // of a CudaOom
};

// Something in the input that was not used, and why it matters.
struct Warning {
  std::string text;
  std::uint64_t count = 1;
  std::uint64_t first_line = 0;
};

// The limit that the memory of the target must stay below, and its source.
struct Limit {
  LimitKind kind = LimitKind::Host;
  std::uint64_t bytes = 0;
  bool told_by_log = false;      // else by the user,
  bool told_by_machine = false;  // or by the cgroup or the host itself
};

struct Report {
  Source source;
  Verdict verdict;  // of the whole target
  Answer answer = {};
  std::vector<RunReport> runs;
  std::size_t primary_run = 0;  // the run whose first series gave `verdict`
  std::optional<Limit> limit;
  std::optional<Forecast> forecast;
  std::vector<Event> events;          // the first and the last ones, where there were too many
  std::uint64_t events_left_out = 0;  // between them
  std::vector<Warning> warnings;

  // Of a recording only.
  std::vector<ProcessReport> processes = {};  // by growth, then by memory
  Ends ends = {};                             // of the process tree
  ShortLived short_lived = {};
  std::vector<GpuReport> gpus = {};
  std::vector<TmpfsReport> tmpfs = {};
  std::vector<SharedGroup> shared_memory = {};
  std::vector<PhaseReport> phases = {};  // of the processes that tell theirs
  std::optional<GrowthReport> growth = std::nullopt;
  std::vector<SiteReport> sites = {};      // with an agent in the job: most growth first
  std::vector<HolderReport> holders = {};  // with snapshots: most growth first
  std::vector<std::pair<std::int64_t, TensorGrowth>> tensors = {};  // by pid
  std::vector<std::pair<std::int64_t, TypeGrowth>> types = {};
  std::vector<Finding> findings = {};  // the gravest first
  std::optional<Reconciliation> reconciliation = std::nullopt;
  std::vector<TrimReport> trim_trials = {};  // where the user asked for it
  std::optional<OverheadReport> overhead = std::nullopt;
  Ending ending = Ending::Unknown;
  std::optional<int> exit_status = {};  // of the first process of the job, as a shell reports it
};

constexpr std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::OomKill:
      return "oom-kill";
    case EventKind::CudaOom:
      return "cuda-oom";
    case EventKind::WorkerKilled:
      return "worker-killed";
    case EventKind::Killed:
      return "killed";
    case EventKind::Restart:
      return "restart";
    case EventKind::Exit:
      return "exit";
  }
  return {};
}

constexpr std::string_view to_string(SourceType type) {
  switch (type) {
    case SourceType::Recording:
      return "recording";
    case SourceType::Log:
      return "log";
    case SourceType::Series:
      return "series";
  }
  return {};
}

}  // namespace lowtide::model
