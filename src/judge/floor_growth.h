// How far the floor rises in a stretch of a run: what `check --after-warmup` and pytest's `max_growth` hold
// against a limit.
//
// The stretch is cut into up to 24 parts. The median of all slopes between their lowest readings (Theil-Sen),
// times the length, is the growth: a few parts may be anything. Two readings at the ends, or the lowest near
// them, are moved by a single spike; the lowest of a fifth hides a fifth of a ramp. (Numbers:
// docs/design/verdict.md.) Not for a stretch with a warm-up: most of it is flat, and so is the median.
#pragma once

#include <span>

namespace lowtide::judge {

// Bytes; negative where it falls. `lows` in order of time, evenly spaced. 0 for fewer than four.
double floor_growth(std::span<const double> lows);

}  // namespace lowtide::judge
