// Fewer points that look the same: the lowest and the highest of each bucket of time.
//
// A chart is some thousand columns wide, and only the extremes of a column are visible. All series of a run
// are cut at the same moments, so that those that cover the whole run can share one list of times.
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

// `points` are ordered by time. Each bucket with points has two, at its start and its middle, in the order in
// which the lowest and the highest came. A series with no more points than that is returned as it is.
std::vector<model::CounterPoint> thinned(const std::vector<model::CounterPoint>& points,
                                         const Buckets& buckets);

// Buckets with which all series together have at most about `most` points; none if they have no more anyway.
// Short series keep their points, and the long ones share the rest.
using Tracks = std::vector<const model::CounterTrack*>;
Buckets choose_buckets(const Tracks& tracks, std::size_t most);

}  // namespace lowtide::show
