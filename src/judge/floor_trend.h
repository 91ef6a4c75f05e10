// The trend of the floor in a stretch of a run, as bytes over the whole stretch. `check --after-warmup` and
// pytest's `max_growth` compare it with a limit.
//
// The stretch is cut into up to 24 parts. The result is the median of all slopes between their lowest
// readings (Theil-Sen), times the length, so a few parts may have any value. A difference between two
// readings, or between the lowest near each end, is moved by a single spike. (Numbers:
// docs/design/verdict.md.) Do not use it for a stretch that contains a warm-up: most of that is flat, and so
// is the median. model/floor.h has the growth.
#pragma once

#include <span>

namespace lowtide::judge {

// Bytes; negative where it falls. `lows` in order of time, evenly spaced. 0 for fewer than four.
double floor_trend(std::span<const double> lows);

}  // namespace lowtide::judge
