// Does a run keep the rules that its owner set?
#pragma once

#include <vector>

#include "model/gate.h"
#include "model/report.h"

namespace lowtide::explain {

// Every rule against the report, in the order given; without any, the run must not leak.
// A rule that the readings cannot decide is undecided, and says what is missing.
model::Gate check_rules(const model::Report& report, std::vector<model::Rule> rules);

}  // namespace lowtide::explain
