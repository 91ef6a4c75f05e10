// What each process had when the process tree was at the two ends of its floor: the rows of the process table
// then add up to the numbers of the verdict.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "model/verdict.h"

namespace lowtide::explain {

// Sets `ends` of the processes, and returns those of the process tree.
model::Ends set_floor_ends(const Evidence& evidence, const model::Floor& floor,
                           std::vector<WatchedProcess>& processes);

}  // namespace lowtide::explain
