// A snapshot of a live process, or the difference of two, as text and JSON.
#pragma once

#include <string>

#include "model/holder_report.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// Totals, then the variables, tensors and types that hold the most memory, or that grew.
std::string to_text(const model::SnapshotReport& report, const TextOptions& options);

// A difference in at most four lines: the growth and its rate, and the variables that grew most. For --watch.
std::string to_watch_text(const model::SnapshotReport& report, const TextOptions& options);

// The contract's report (docs/json.md) with holders, tensors and types; ingest reads it again.
std::string to_json(const model::SnapshotReport& report);

}  // namespace lowtide::show
