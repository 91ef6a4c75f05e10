// Fewer points that look the same: of each bucket of time the lowest and the highest.
//
// A picture is some thousand columns wide, and within a column only the extremes are seen. All series of a
// run are cut at the same moments, so that those that live through it can share one list of times.
#pragma once

#include <cstddef>
#include <vector>

#include "model/trace.h"

namespace lowtide::show {

struct Buckets {
  double from_s = 0;
  double to_s = 0;
  std::size_t count = 0;  // 0: nothing is thinned
};

// `points` by time. Two points a bucket that has any, at its begin and its middle, in the order in which
// lowest and highest came; series with no more than that are handed back as they are.
std::vector<model::CounterPoint> thinned(const std::vector<model::CounterPoint>& points,
                                         const Buckets& buckets);

// Buckets with which all series together have no more than about `most` points; none where they have not
// anyway. Short series keep what they have, and leave the rest to the long ones.
using Tracks = std::vector<const model::CounterTrack*>;
Buckets choose_buckets(const Tracks& tracks, std::size_t most);

}  // namespace lowtide::show
