// Which of several series gives the run its verdict.
#pragma once

#include <cstddef>
#include <vector>

#include "model/report.h"

namespace lowtide::explain {

// The series that decides the verdict of the run, of at least one:
//
// - what was read often enough to be judged before what was not;
// - host memory before GPU memory, and the process itself before its container
//   before the whole system: the nearer to the job, the less of others is in it;
// - of several processes the one that leaks; of several leaks, or of none, the
//   one whose floor grew most; where none grew to speak of, the largest;
// - but a leak on a GPU is not passed over because the host has none.
std::size_t find_primary_series(const std::vector<const model::SeriesReport*>& series);

// Whether the report is about a later run and not about an earlier one. The job
// as it is now counts, but a handful of readings does not overrule hundreds,
// nor a short clean run the longer one before it that leaked.
bool later_run_is_primary(const model::Verdict& earlier, const model::Verdict& later);

}  // namespace lowtide::explain
