// From a recording to the report: verdicts, processes, limits, events, findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/judgement.h"
#include "model/report.h"
#include "record/reader.h"

namespace lowtide::explain {

struct ReportOptions {
  std::string path = {};                                    // the name of the recording
  std::optional<std::uint64_t> limit_bytes = std::nullopt;  // else what was recorded
  // To decide whether the run still goes on. Absent: it does not.
  std::optional<double> now_unix_s = std::nullopt;
};

// Works at any time while the run goes on, and on what is left of a damaged recording.
model::Report make_report(record::Recording& recording, const ReportOptions& options);

// Every stack that the agent recorded, with its live memory and its growth; no samples without an agent.
model::Profile make_profile(record::Recording& recording);

}  // namespace lowtide::explain
