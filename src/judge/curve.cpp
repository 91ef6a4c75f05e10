#include "judge/curve.h"

#include <algorithm>
#include <cmath>

#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

// Fills `x` with the steps, interpolated over time where they are missing.
// False when too few are known or they do not advance.
bool steps_as_axis(const std::vector<Bucket>& buckets, const std::vector<double>& at_s,
                   std::vector<double>& x) {
  std::vector<std::size_t> known;
  for (std::size_t at = 0; at < buckets.size(); ++at) {
    if (!std::isnan(buckets[at].step)) known.push_back(at);
  }
  if (known.size() < 2 || static_cast<double>(known.size()) < 0.3 * static_cast<double>(buckets.size()))
    return false;
  double furthest = buckets[known.front()].step;
  std::size_t back = 0;
  for (const std::size_t at : known) {
    if (buckets[at].step < furthest) ++back;
    furthest = std::max(furthest, buckets[at].step);
  }
  // One late line in a hundred is an accident of logging, more is not an axis.
  if (furthest <= buckets[known.front()].step ||
      static_cast<double>(back) > 0.01 * static_cast<double>(known.size())) {
    return false;
  }
  std::vector<std::pair<double, double>> anchors;  // place, step
  double previous = -HUGE_VAL;
  for (const std::size_t at : known) {
    if (buckets[at].step < previous) continue;
    previous = buckets[at].step;
    anchors.emplace_back(at_s[at], buckets[at].step);
  }
  // Before the first known step and after the last one the pace between them is taken to hold.
  const double reach = anchors.back().first - anchors.front().first;
  const double pace = reach > 0 ? (anchors.back().second - anchors.front().second) / reach : 0.0;
  x.resize(buckets.size());
  std::size_t next = 0;
  for (std::size_t at = 0; at < buckets.size(); ++at) {
    while (next < anchors.size() && anchors[next].first < at_s[at]) ++next;
    if (next == 0) {
      x[at] = anchors.front().second - pace * (anchors.front().first - at_s[at]);
    } else if (next == anchors.size()) {
      x[at] = anchors.back().second + pace * (at_s[at] - anchors.back().first);
    } else {
      const auto& [place0, step0] = anchors[next - 1];
      const auto& [place1, step1] = anchors[next];
      x[at] = place1 > place0 ? step0 + (step1 - step0) * (at_s[at] - place0) / (place1 - place0) : step1;
    }
  }
  return true;
}

// Interpreter, imports and the model come in during the first handful of
// samples: far below everything that follows, and over quickly. What follows
// must not go on at that pace, else it is no start-up but the growth itself.
std::size_t find_startup(const std::vector<double>& low, const std::vector<double>& mean, double level) {
  const std::size_t m = mean.size();
  std::size_t longest = std::max<std::size_t>(1, std::min(m / 12, std::max<std::size_t>(5, m / 25)));
  if (m <= longest) return 0;
  double following = low[longest];
  if (m > longest + 6) {
    const std::size_t end = std::min(m, longest + std::max<std::size_t>(6, m / 12));
    following = quantile(
        {low.begin() + static_cast<std::ptrdiff_t>(longest), low.begin() + static_cast<std::ptrdiff_t>(end)},
        0.15);
  }
  const double step_up = mad_sd(differences(mean)) * 6 + 0.01 * level;
  if (longest > 5 && mean[0] > 0.35 * following)
    longest = 5;  // only a start from next to nothing may be longer
  if (mean[0] < 0.15 * following) longest = std::max(longest, m / 10);
  const double bar = following - std::max(std::min(step_up, 0.5 * following), 0.03 * level);
  std::size_t startup = 0;
  while (startup < longest && mean[startup] < bar) ++startup;
  if (startup == 0) return 0;

  const double pace = (mean[startup] - mean[0]) / static_cast<double>(startup);
  const std::size_t end = std::min(m, 2 * startup + 7);
  double next_pace = 0;
  if (end > startup + 2) {
    const double lowest = *std::min_element(mean.begin() + static_cast<std::ptrdiff_t>(startup) + 2,
                                            mean.begin() + static_cast<std::ptrdiff_t>(end));
    next_pace = (lowest - mean[startup]) / std::max(1.0, 0.5 * static_cast<double>(end - startup));
  }
  return next_pace > 0.3 * pace ? 0 : startup;
}

}  // namespace

Curve make_curve(const Generation& generation) {
  const std::vector<Bucket> buckets = generation.buckets();
  Curve curve;
  curve.samples = generation.samples();
  double index = 0;
  // A clock that is set back once is an accident, one that jumps about or stands still is none.
  std::size_t unknown = 0;
  std::size_t back = 0;
  double latest = -HUGE_VAL;
  std::vector<double> clock;
  for (const Bucket& bucket : buckets) {
    if (std::isnan(bucket.at_s)) ++unknown;
    if (bucket.at_s < latest) ++back;
    latest = std::max(latest, bucket.at_s);
    clock.push_back(latest);
  }
  const bool timed =
      !buckets.empty() && unknown == 0 && back <= buckets.size() / 100 && clock.back() > clock.front();
  for (const Bucket& bucket : buckets) {
    curve.at_s.push_back(timed ? clock[curve.at_s.size()] : index);
    curve.low.push_back(bucket.low);
    curve.high.push_back(bucket.high);
    curve.mean.push_back(bucket.mean());
    curve.index.push_back(index);
    index += static_cast<double>(bucket.count);
  }
  if (steps_as_axis(buckets, curve.at_s, curve.x)) {
    curve.axis = model::Axis::Step;
  } else {
    curve.x = curve.at_s;
    curve.axis = timed ? model::Axis::Time : model::Axis::Step;
    curve.counted = !timed;
  }
  if (!timed) curve.at_s.assign(buckets.size(), model::kUnknown);
  measure_curve(curve);
  return curve;
}

void measure_curve(Curve& curve) {
  const std::size_t m = curve.size();
  const std::size_t tail = std::min(m, std::max<std::size_t>(3, m / 5));
  curve.level =
      std::max(1.0, median({curve.mean.end() - static_cast<std::ptrdiff_t>(tail), curve.mean.end()}));

  // The lower quartile stands even if half of the differences are edges of spikes.
  std::vector<double> jumps = differences(curve.low);
  const double spread = mad_sd(jumps) / std::sqrt(2.0);
  for (double& jump : jumps) jump = std::abs(jump);
  const double quiet = quantile(std::move(jumps), 0.25) / (0.3186 * std::sqrt(2.0));
  curve.noise = std::max(quiet > 0 ? std::min(spread, 1.3 * quiet) : spread, 1e-4 * curve.level);

  curve.startup = find_startup(curve.low, curve.mean, curve.level);
}

}  // namespace lowtide::judge
