// What nvidia-smi and torch print about a GPU without a header that names columns.
#pragma once

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

bool analyse_nvidia_table(const Line& line, ShapePlan& plan);
bool analyse_nvidia_bare(const Line& line, ShapePlan& plan);
bool analyse_memory_summary(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest
