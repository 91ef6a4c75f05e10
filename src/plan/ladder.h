// Which changes to a setup save memory, and how much.
#pragma once

#include <vector>

#include "plan/setup.h"

namespace lowtide::plan {

// Each change is tried on its own. The largest saving comes first.
std::vector<model::PlanKnob> make_ladder(const JobSetup& setup);

}  // namespace lowtide::plan
