// Lines of tools that sample memory from outside and have no table header of
// their own: free, top's summary, watch, mprof, time -v, ps and pidstat rows.
#pragma once

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

bool analyse_watch(const Line& line, ShapePlan& plan);  // also top's first line and a `date` alone
bool analyse_mprof(const Line& line, ShapePlan& plan);
bool analyse_free(const Line& line, ShapePlan& plan);
bool analyse_top_summary(const Line& line, ShapePlan& plan);
bool analyse_time(const Line& line, ShapePlan& plan);
bool analyse_headless_ps(const Line& line, ShapePlan& plan);
bool analyse_headless_pidstat(const Line& line, ShapePlan& plan);
bool analyse_bare_number(const Line& line, ShapePlan& plan);
bool analyse_bare_pair(const Line& line, ShapePlan& plan);

}  // namespace lowtide::ingest
