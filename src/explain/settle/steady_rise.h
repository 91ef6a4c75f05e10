// Does a series rise all the way, without slowing, to its very end?
//
// The detector asks whether a series will go on, and of a short ramp it cannot
// know. Here the question is smaller, and other evidence (what was never freed)
// stands beside it: is there any sign that the rise has stopped, pauses longer
// than it used to, or loses pace? The run is cut into 24 parts. Of each the lowest
// value counts that is not undercut later: so excursions that recover are no rise,
// and a part in which something was given back is a pause.
#pragma once

#include "explain/evidence/series.h"

namespace lowtide::explain {

struct SteadyRise {
  bool steady = false;
  double gain_bytes = 0;
  double second_half = 0;  // its gain, as a multiple of the first half's
};

// By steps where they are known, else by time. `samples` is how many allocation
// samples the rise was estimated from: their error is allowed for. 0: none.
SteadyRise find_steady_rise(const RecordedSeries& series, const Steps& steps, const Window& window,
                            double samples);

}  // namespace lowtide::explain
