#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/trace.h"

namespace lowtide::cli {

// Opens a recording of a run that has ended or still runs, and makes its report.
std::variant<model::Report, console::UserError> report_recording(const std::string& path,
                                                                 std::optional<std::uint64_t> limit_bytes);

// The stacks that the agent recorded. An error if there are none.
std::variant<model::Profile, console::UserError> profile_recording(const std::string& path);

// What the last looks at its Pythons say of the model; absent where none saw a tensor.
std::variant<std::optional<model::TensorFacts>, console::UserError> tensors_recording(
    const std::string& path);

// Trace and stacks, for the page. A recording without stacks is not an error.
struct RecordedRun {
  model::Trace trace;
  model::Profile profile;
};
std::variant<RecordedRun, console::UserError> page_recording(const std::string& path);

// Every series, phase and event over time.
std::variant<model::Trace, console::UserError> trace_recording(const std::string& path);

}  // namespace lowtide::cli
