// The answer of a report: what, where, how fast, how sure, and what to change.
#pragma once

#include "model/report.h"

namespace lowtide::explain {

// From the verdict, the findings and the events of the report, whether it is of a recording or a log.
model::Answer find_answer(const model::Report& report);

}  // namespace lowtide::explain
