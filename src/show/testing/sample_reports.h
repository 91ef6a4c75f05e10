// Fixed reports that the tests of this folder show in every way.
#pragma once

#include "model/gate.h"
#include "model/report.h"

namespace lowtide::show {

// The answer that a report with this verdict and without findings has.
model::Answer answer_of(const model::Verdict& verdict);

// The two runs of the investigation: cut at step 70, and a warm-up that ended.
model::Report warmup_report();

// A leak with a limit, further processes and GPUs, events, warnings, and a log
// that tries to write on the terminal and into the document.
model::Report leak_report();

// A flat floor under validation spikes, over time.
model::Report spikes_report();

// Too short to say.
model::Report inconclusive_report();

// A watched job that leaked into its cgroup's limit, under a wrapper; some of its text attacks.
model::Report watched_leak_report();

// A watched job with twenty constant workers and a GPU, that goes on.
model::Report watched_overhead_report();

// A rule kept, one broken, one undecided.
model::Gate sample_gate();

}  // namespace lowtide::show
