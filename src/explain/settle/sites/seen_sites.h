// What the agent saw of the stacks of one process, and when.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"

namespace lowtide::explain {

// The part of the run that the agent saw of one process.
struct Seen {
  Window all;  // empty where there was no agent
  Window early;
  double interval_bytes = 0;
};

Seen seen_of(const Evidence& evidence, const ProcessEvidence& process);

double window_middle(const Window& window);

// The moments at which groups are looked at: those of the ticks, thinned to what a verdict needs.
RecordedSeries moments_of(const Evidence& evidence);

// The members' live bytes added up, each with its latest value.
RecordedSeries sum_of(const std::vector<const SiteEvidence*>& members, const RecordedSeries& moments,
                      const Window& window);

double site_growth(const SiteEvidence& site, const Window& early, const Window& late);

// Of live memory. Recordings of before it was kept have samples of the same weight.
double variance_of(const SiteMoment& moment, const Seen& seen);

}  // namespace lowtide::explain
