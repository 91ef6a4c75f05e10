#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cli/complaint.h"
#include "model/report.h"
#include "model/trace.h"

namespace lowtide::cli {

// Opens a recording, of a run that ended or goes on, and makes its report.
std::variant<model::Report, Complaint> report_recording(const std::string& path,
                                                        std::optional<std::uint64_t> limit_bytes);

// The stacks that an agent left in the recording; a complaint where there are none.
std::variant<model::Profile, Complaint> profile_recording(const std::string& path);

// All of it over time.
std::variant<model::Trace, Complaint> trace_recording(const std::string& path);

}  // namespace lowtide::cli
