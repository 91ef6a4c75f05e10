// What to try next: which change buys how much.
#pragma once

#include <vector>

#include "model/plan.h"

namespace lowtide::plan {

// Each knob is turned by itself and the plan made anew; what buys the most comes first.
std::vector<model::PlanKnob> make_ladder(const model::TrainingSetup& setup);

}  // namespace lowtide::plan
