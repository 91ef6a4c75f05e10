// Growth that has gone on until now: a leak, or a warm-up that has not ended yet?
//
// Nothing in the curve distinguishes the two: the warm-up of a real run rose
// straight as a ruler for 80 steps and then stopped for good. What helps is how
// long it has lasted and how much it has gained: warm-ups are short and large,
// leaks long and small. So there is a graded prior, the odds, and a budget below
// which growth since the start is never called a leak. docs/design/verdict.md
// has the numbers, and how little is left to be won.
#pragma once

#include "judge/evidence.h"

namespace lowtide::judge {

// Natural logarithm of the odds leak : warm-up, at a moment chosen at random.
double leak_log_odds(const Evidence& evidence, const Regime& regime);

// Lasted longer than most warm-ups do.
bool past_warmup_budget(const Evidence& evidence, double log_odds);

// Lasted longer than warm-ups do, however much it gained.
bool past_any_warmup(const Evidence& evidence);

// As a probability.
double chance(double log_odds);

}  // namespace lowtide::judge
