// A snapshot of a live process, or the difference of two, for people and for programs.
#pragma once

#include <string>

#include "model/holder_report.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// The first line is the answer: what holds most, or what grew.
std::string to_text(const model::SnapshotReport& report, const TextOptions& options);

// The contract's report (docs/json.md) with holders, tensors and types; ingest reads it again.
std::string to_json(const model::SnapshotReport& report);

}  // namespace lowtide::show
