// The catalogue of metrics: /metrics and the table in docs/serve.md are made from it.
#pragma once

#include <string_view>

namespace lowtide::show {

struct Metric {
  std::string_view name;
  std::string_view type;
  std::string_view unit;   // empty: none
  std::string_view label;  // empty: one value
  std::string_view help;
};

inline constexpr Metric kMetrics[] = {
    {"lowtide_verdict", "stateset", "", "lowtide_verdict", "What the memory of the job looks like."},
    {"lowtide_verdict_confidence_ratio", "gauge", "ratio", "", "The chance that the verdict is right."},
    {"lowtide_leak_lean_ratio", "gauge", "ratio", "",
     "How much an inconclusive verdict leans to a leak; 0 where it leans elsewhere."},
    {"lowtide_memory_bytes", "gauge", "bytes", "", "Memory of the process tree, shared pages once."},
    {"lowtide_memory_peak_bytes", "gauge", "bytes", "", "The most that it had."},
    {"lowtide_memory_floor_bytes", "gauge", "bytes", "", "The low-water mark that it falls back to."},
    {"lowtide_floor_growth_per_step_bytes", "gauge", "bytes", "", "By how much the floor rises in a step."},
    {"lowtide_floor_growth_per_second_bytes", "gauge", "bytes", "",
     "By how much the floor rises in a second."},
    {"lowtide_limit_bytes", "gauge", "bytes", "", "The limit that is met first."},
    {"lowtide_limit_reached_seconds", "gauge", "seconds", "",
     "Seconds until the limit is met, if the floor goes on as it does."},
    {"lowtide_processes", "gauge", "", "role", "Processes of the job that are there, by role."},
    {"lowtide_process_memory_bytes", "gauge", "bytes", "role",
     "Memory that these processes alone are to blame for, by role."},
    {"lowtide_gpu_memory_used_bytes", "gauge", "bytes", "gpu", "Memory in use on a GPU, by whomever."},
    {"lowtide_gpu_memory_total_bytes", "gauge", "bytes", "gpu", "Memory that a GPU has."},
    {"lowtide_findings", "gauge", "", "severity", "Findings that were not ruled out, by severity."},
    {"lowtide_watched_seconds", "gauge", "seconds", "", "For how long the job was watched."},
    {"lowtide_steps", "gauge", "", "", "Training steps that were seen."},
    {"lowtide_running", "gauge", "", "", "1 while the watching goes on."},
};

// One of the catalogue; a name that is not in it does not compile.
class MetricName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): a literal is meant to convert
  consteval MetricName(const char* name) : row_(kMetrics) {
    while (row_->name != name) ++row_;  // past the end is no constant expression
  }

  [[nodiscard]] constexpr const Metric& row() const { return *row_; }

 private:
  const Metric* row_;
};

}  // namespace lowtide::show
