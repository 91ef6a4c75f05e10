#include "judge/settling.h"

#include <algorithm>

#include "base/units.h"
#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

constexpr double kBends = 2.5;  // BIC

// The curve without single outliers: the median of a few neighbours.
std::vector<double> smoothed(const std::vector<double>& trace) {
  const std::size_t count = trace.size();
  const std::size_t reach = std::min<std::size_t>(5, count / 40);
  if (reach < 2) return trace;
  std::vector<double> out(count);
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t from = at > reach ? at - reach : 0;
    const std::size_t to = std::min(count, at + reach + 1);
    out[at] = median(
        {trace.begin() + static_cast<std::ptrdiff_t>(from), trace.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  return out;
}

// The first point from which the curve stays above the bar.
std::size_t first_to_stay_above(const std::vector<double>& trace, double bar) {
  const std::size_t count = trace.size();
  const std::size_t ahead = std::max<std::size_t>(4, count / 10);
  for (std::size_t at = 0; at < count; ++at) {
    if (trace[at] < bar) continue;
    const std::size_t to = std::min(count, at + ahead);
    const auto above = std::count_if(trace.begin() + static_cast<std::ptrdiff_t>(at),
                                     trace.begin() + static_cast<std::ptrdiff_t>(to),
                                     [&](double value) { return value >= bar; });
    if (static_cast<double>(above) > 0.8 * static_cast<double>(to - at)) return at;
  }
  return count - 1;
}

// Where a person would say that it began.
double lowest_at_first(const Evidence& e) {
  const std::size_t few = std::max<std::size_t>(1, e.points / 40);
  return *std::min_element(e.curve.low.begin(), e.curve.low.begin() + static_cast<std::ptrdiff_t>(few));
}

double first_level(const Evidence& e) {
  const std::vector<double>& means = e.curve.mean;
  if (e.first > 0) {
    const auto end = means.begin() + static_cast<std::ptrdiff_t>(e.first) + 1;
    return std::min(*std::min_element(means.begin(), end), e.floors.front());
  }
  const std::size_t few = std::max<std::size_t>(1, e.floors.size() / 12);
  return std::min(median({e.floors.begin(), e.floors.begin() + static_cast<std::ptrdiff_t>(few)}),
                  e.floors.front());
}

// A process that has started is at its level. A heap whose holes fill up gets nearly all of its growth at
// once, too, but it bends, and it is still below its level for a second floor.
bool outlasts_start(const Evidence& e, double plateau) {
  const bool curved = e.shape.best == Shape::Saturation || e.shape.best == Shape::Concave;
  return curved && e.shape.advantage > kBends && e.floors.size() >= 10 &&
         e.floors[1] < plateau - 3 * e.floor_noise;
}

}  // namespace

Settled settle(const Evidence& e) {
  const std::size_t points = e.curve.size();
  const std::size_t count = e.floors.size();
  const std::size_t quarter = std::min(count, std::max<std::size_t>(3, count / 4));
  Settled out;
  out.plateau = median({e.floors.end() - static_cast<std::ptrdiff_t>(quarter), e.floors.end()});
  out.rise = out.plateau - first_level(e);

  // A rise that is over within the first few points is the start of the process, not a warm-up.
  const double least_rise =
      std::max({0.04 * out.plateau, 6 * e.floor_noise, std::min(40 * base::kMB, 0.08 * out.plateau)});
  const double startup = e.first > 0 ? std::max(5.0, static_cast<double>(e.first) + 1) : 2.0;
  const double earliest_end =
      outlasts_start(e, out.plateau) ? 1 : std::max(startup, 0.045 * static_cast<double>(points));
  if (out.rise > least_rise) {
    const double bar = out.plateau - std::max(0.05 * out.rise, 2.5 * e.floor_noise);
    const std::size_t end = first_to_stay_above(smoothed(e.spiky ? e.curve.low : e.curve.mean), bar);
    if (static_cast<double>(end) > earliest_end) {
      out.kind = model::VerdictKind::Warmup;
      out.warmup_end = end;
      std::size_t block = 0;
      while (block + 1 < count && e.floor_edges[block + 1] <= end) ++block;
      block = std::min(block, count > 3 ? count - 3 : 0);
      out.plateau = median({e.floors.begin() + static_cast<std::ptrdiff_t>(block), e.floors.end()});
      // The first readings may be in a spike.
      out.rise = out.plateau - std::min(lowest_at_first(e), first_level(e));
      return out;
    }
  }
  out.kind = e.spikes >= model::kSpikesToNameThem ? model::VerdictKind::Spikes : model::VerdictKind::Stable;
  return out;
}

}  // namespace lowtide::judge
