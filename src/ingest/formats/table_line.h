#pragma once

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// The header of a table: CSV, nvidia-smi, ps, top, pidstat, psrecord, docker stats.
// A plan that switches to the context in which the rows are understood.
bool analyse_header(const Line& line, ShapePlan& plan);

// A row of the table whose header was seen last.
bool analyse_row(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest
