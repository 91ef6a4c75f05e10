// How much longer must a run be until it can be judged?
//
// No single threshold answers this: every rule of the decision has its own, and they depend on each other. So
// the run is continued in the ways that its readings allow, and the judge itself is asked at which length it
// decides. docs/design/verdict.md has the share of runs in which that length was enough.
#pragma once

#include <cstdint>
#include <optional>

#include "judge/assessment.h"

namespace lowtide::judge {

// What a verdict requires: the rules differ while a run continues (judge/live.h).
struct Requirement {
  bool (*decides)(const Assessment& assessment) = nullptr;
  std::uint64_t fewest_samples = 0;  // before which no length is estimated
  double more_samples = 0;           // at least, as a share of the samples until now
};

// A run that has ended is judged by all that it shows.
Requirement required_at_end();

// Steps, seconds or readings, as the axis of the curve. Absent: no length is enough in all the ways in which
// the run may continue, or it is so long that the number has no use.
std::optional<double> find_missing(const Assessment& assessment, const Requirement& required);

}  // namespace lowtide::judge
