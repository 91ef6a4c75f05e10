#pragma once

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// A line of words and numbers, as programs print for people: the words beside
// a number say what it is. Fills the plan and returns true when there is
// memory, a step, an epoch or a writer's pid in it.
bool analyse_text(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest
