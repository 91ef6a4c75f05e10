#include "show/page/thin_points.h"

#include <algorithm>
#include <limits>

namespace lowtide::show {
namespace {

constexpr std::size_t kFewestBuckets = 500;

// The bucket of a moment; those outside belong to the first and the last.
std::size_t bucket_of(double at_s, const Buckets& buckets) {
  const double share = (at_s - buckets.from_s) / (buckets.to_s - buckets.from_s);
  const double place = share * static_cast<double>(buckets.count);
  if (!(place > 0)) return 0;
  return std::min(static_cast<std::size_t>(place), buckets.count - 1);
}

}  // namespace

std::vector<model::CounterPoint> thinned(const std::vector<model::CounterPoint>& points,
                                         const Buckets& buckets) {
  if (buckets.count == 0 || points.size() <= 2 * buckets.count || !(buckets.to_s > buckets.from_s))
    return points;
  std::vector<model::CounterPoint> out;
  out.reserve(2 * buckets.count);
  const double width_s = (buckets.to_s - buckets.from_s) / static_cast<double>(buckets.count);
  auto begin = points.begin();
  while (begin != points.end()) {
    const std::size_t bucket = bucket_of(begin->at_s, buckets);
    const auto end = std::find_if(begin, points.end(), [&](const model::CounterPoint& point) {
      return bucket_of(point.at_s, buckets) != bucket;
    });
    const auto [low, high] = std::minmax_element(
        begin, end,
        [](const model::CounterPoint& a, const model::CounterPoint& b) { return a.value < b.value; });
    const double from_s = buckets.from_s + width_s * static_cast<double>(bucket);
    out.push_back({from_s, std::min(low, high)->value});
    out.push_back({from_s + width_s / 2, std::max(low, high)->value});
    begin = end;
  }
  return out;
}

Buckets choose_buckets(const Tracks& tracks, std::size_t most) {
  Buckets out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
  std::vector<std::size_t> sizes;
  std::size_t sum = 0;
  for (const model::CounterTrack* track : tracks) {
    if (track->points.empty()) continue;
    out.from_s = std::min(out.from_s, track->points.front().at_s);
    out.to_s = std::max(out.to_s, track->points.back().at_s);
    sizes.push_back(track->points.size());
    sum += track->points.size();
  }
  if (sum <= most) return {};
  std::sort(sizes.begin(), sizes.end());
  std::size_t left = most;
  std::size_t share = 0;
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    share = left / (sizes.size() - at);
    if (sizes[at] > share) break;
    left -= sizes[at];
  }
  out.count = std::max(share / 2, kFewestBuckets);
  return out;
}

}  // namespace lowtide::show
