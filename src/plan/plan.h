// What a training set-up should take, before it runs.
//
// Each theme is a file of its own that turns the set-up into parts, with the sum it worked out in words and
// what it assumed. Where the numbers come from, and how far they were off: docs/design/plan.md.
#pragma once

#include "model/plan.h"

namespace lowtide::plan {

// The parts with their sums, and what each knob would buy.
model::Plan make_plan(const model::TrainingSetup& setup);

}  // namespace lowtide::plan
