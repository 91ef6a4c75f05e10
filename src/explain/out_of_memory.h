// The event by which a job ended for lack of memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/report.h"

namespace lowtide::explain {

// torch reports every GPU that was full, also if the job then tries again with less: that is an end only if a
// process failed. Events before `first_line` of a log belong to another run. Null: there is none.
inline const model::Event* find_fatal_oom(const std::vector<model::Event>& events, bool has_failed,
                                          std::uint64_t first_line = 0) {
  const auto is_fatal = [&](const model::Event& event) {
    return event.kind == model::EventKind::OomKill || (event.kind == model::EventKind::CudaOom && has_failed);
  };
  const auto found = std::find_if(events.rbegin(), events.rend(), [&](const model::Event& event) {
    return is_fatal(event) && event.line >= first_line;
  });
  return found == events.rend() ? nullptr : &*found;
}

inline bool has_failed(const model::Report& report) {
  return std::any_of(report.processes.begin(), report.processes.end(),
                     [](const auto& process) { return process.info.exit_status.value_or(0) != 0; });
}

// Null: the job of the report did not end for lack of memory.
inline const model::Event* find_fatal_oom(const model::Report& report) {
  const bool is_log = report.source.type != model::SourceType::Recording;
  const std::uint64_t first_line =
      is_log && report.primary_run < report.runs.size() ? report.runs[report.primary_run].first_line : 0;
  // A log has no exit statuses.
  return find_fatal_oom(report.events, is_log || has_failed(report), first_line);
}

}  // namespace lowtide::explain
