#pragma once

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// A JSON object or a printed Python dict on one line, or one member of an
// object that is spread over lines.
bool analyse_dict(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest
