// The table of metrics. /metrics and the table in docs/serve.md are made from it.
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
    {"lowtide_verdict", "stateset", "", "lowtide_verdict",
     "The verdict on the memory of the job: 1 for the current one, 0 for the others."},
    {"lowtide_verdict_confidence_ratio", "gauge", "ratio", "", "The probability that the verdict is right."},
    {"lowtide_leak_lean_ratio", "gauge", "ratio", "",
     "The probability of a leak while the verdict is inconclusive; 0 if another verdict is more likely."},
    {"lowtide_cause", "gauge", "", "cause",
     "1 for the line and the variable that hold the growing memory; absent while they are not known."},
    {"lowtide_memory_bytes", "gauge", "bytes", "",
     "Memory of the process tree, with shared pages counted once (PSS)."},
    {"lowtide_memory_peak_bytes", "gauge", "bytes", "", "The highest value of the memory."},
    {"lowtide_memory_floor_bytes", "gauge", "bytes", "", "The low-water mark that the memory falls back to."},
    {"lowtide_floor_growth_per_step_bytes", "gauge", "bytes", "", "Growth of the floor per training step."},
    {"lowtide_floor_growth_per_second_bytes", "gauge", "bytes", "", "Growth of the floor per second."},
    {"lowtide_limit_bytes", "gauge", "bytes", "", "The limit that the job reaches first."},
    {"lowtide_limit_reached_seconds", "gauge", "seconds", "",
     "Seconds until the floor reaches the limit, if it grows at the same rate."},
    {"lowtide_tmpfs_used_bytes", "gauge", "bytes", "path",
     "Used bytes of /dev/shm, and of /tmp and /run if they are in memory and the job uses them, by all "
     "files."},
    {"lowtide_tmpfs_size_bytes", "gauge", "bytes", "path", "Size of the file system."},
    {"lowtide_tmpfs_job_bytes", "gauge", "bytes", "path", "Bytes of files in it that the job made."},
    {"lowtide_processes", "gauge", "", "role", "Number of running processes of the job, by role."},
    {"lowtide_process_memory_bytes", "gauge", "bytes", "role",
     "Private memory of the running processes, by role."},
    {"lowtide_gpu_memory_used_bytes", "gauge", "bytes", "gpu",
     "GPU memory in use, by this job and by others."},
    {"lowtide_gpu_memory_total_bytes", "gauge", "bytes", "gpu", "Size of the GPU memory."},
    {"lowtide_findings", "gauge", "", "severity", "Number of findings that were not ruled out, by severity."},
    {"lowtide_watched_seconds", "gauge", "seconds", "", "Duration of the recording."},
    {"lowtide_steps", "gauge", "", "", "The last training step."},
    {"lowtide_running", "gauge", "", "", "1 while the job is being watched, otherwise 0."},
};

// A row of the table. A name that is not in the table does not compile.
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
