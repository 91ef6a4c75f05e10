// Of what a stack allocates, how much does it keep?
//
// "None of its blocks was ever freed" is what settles a leak early, and taken by
// itself it is rarely true: the line that keeps a result makes temporaries on the
// way, a list that is filled, a hidden layer, the parts of a string, and frees them
// within the step, from the same stack. So what counts is what became of those
// samples that outlived this (model::OldSamples). A working set that grows and is
// replaced at every step has none of them, whatever its size.
#pragma once

#include "explain/evidence/site_evidence.h"

namespace lowtide::explain {

struct RetentionByAge {
  double bytes = 0;  // more than at first; 0 where too much of it was freed
  double samples = 0;
  double freed_samples = 0;
};

// Of old samples; of all where the recording does not distinguish them.
RetentionByAge keeping_of(const SiteMoment& first, const SiteMoment& last);

}  // namespace lowtide::explain
