#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "console/user_error.h"
#include "model/report.h"
#include "model/snapshot.h"
#include "model/trace.h"

namespace lowtide::cli {

// Opens a recording of a run that has ended or still runs, and makes its report. The time decides whether the
// run goes on.
std::variant<model::Report, console::UserError> report_recording(const std::string& path,
                                                                 std::optional<std::uint64_t> limit_bytes,
                                                                 double now_unix_s = base::unix_seconds());

// The stacks that the agent recorded. An error if there are none.
std::variant<model::Profile, console::UserError> profile_recording(const std::string& path);

// The snapshots that know the tensors of the process with the most of them, oldest first. Those taken while
// the interpreter was ending are left out.
std::variant<std::vector<model::Snapshot>, console::UserError> model_snapshots(const std::string& path);

// Trace and stacks, for the page. A recording without stacks is not an error.
struct RecordedRun {
  model::Trace trace;
  model::Profile profile;
};
std::variant<RecordedRun, console::UserError> page_recording(const std::string& path);

// Every series, phase and event over time.
std::variant<model::Trace, console::UserError> trace_recording(const std::string& path);

}  // namespace lowtide::cli
