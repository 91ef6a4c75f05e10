#include "explain/settle/steady_rise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lowtide::explain {
namespace {

constexpr std::size_t kRiseParts = 24;
constexpr std::size_t kLongestPause = 6;  // parts: a leak in fewer than four stairs is not seen as one
constexpr std::size_t kFreePause = 2;     // parts without a gain at the end that say nothing ...
constexpr double kManySamples = 200;      // ... and with so many samples, one of them
constexpr double kNoGain = 0.25;          // of the mean gain of a part
constexpr double kSlowerPace = 0.75;      // of the first half's pace, with the error: slower is slowing down
constexpr double kMuchSlower = 0.5;       // the same, whatever the error

using Floors = std::array<double, kRiseParts>;

double rise_place(const SeriesPoint& point, const Steps& steps) {
  return steps.known ? point.step : point.at_s;
}

// The lowest of each part; a part without a reading has what the one before had.
bool fill(Floors& floors, const RecordedSeries& series, const Steps& steps, const Window& window) {
  std::vector<const SeriesPoint*> points;
  for (const SeriesPoint& point : series) {
    if (point.at_s < window.from_s || point.at_s > window.to_s) continue;
    if (std::isfinite(rise_place(point, steps))) points.push_back(&point);
  }
  if (points.size() < kRiseParts) return false;
  const double first = rise_place(*points.front(), steps);
  const double span = rise_place(*points.back(), steps) - first;
  if (!(span > 0)) return false;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  floors.fill(kNone);
  for (const SeriesPoint* point : points) {
    const double share = (rise_place(*point, steps) - first) / span * static_cast<double>(kRiseParts);
    const auto part = static_cast<std::size_t>(std::clamp(share, 0.0, kRiseParts - 1.0));
    floors[part] = std::min(floors[part], static_cast<double>(point->low_bytes));
  }
  for (std::size_t at = 1; at < kRiseParts; ++at) {
    if (floors[at] == kNone) floors[at] = floors[at - 1];
  }
  for (std::size_t at = kRiseParts - 1; at > 0; --at) floors[at - 1] = std::min(floors[at - 1], floors[at]);
  return std::isfinite(floors[0]);
}

struct Pauses {
  std::size_t longest = 0;  // between two gains, or before the first
  std::size_t last = 0;     // at the end
  double largest_gain = 0;
};

Pauses find_pauses(const Floors& floors) {
  Pauses out;
  const double mean = (floors.back() - floors.front()) / (kRiseParts - 1);
  for (std::size_t at = 1; at < kRiseParts; ++at) {
    const double gain = floors[at] - floors[at - 1];
    out.largest_gain = std::max(out.largest_gain, gain);
    if (gain > kNoGain * mean) {
      out.longest = std::max(out.longest, out.last);
      out.last = 0;
    } else {
      ++out.last;
    }
  }
  return out;
}

}  // namespace

SteadyRise find_steady_rise(const RecordedSeries& series, const Steps& steps, const Window& window,
                            double samples) {
  SteadyRise out;
  Floors floors{};
  if (!fill(floors, series, steps, window)) return out;
  out.gain_bytes = floors.back() - floors.front();
  if (!(out.gain_bytes > 0)) return out;
  const double first = floors[kRiseParts / 2 - 1] - floors.front();
  const double second = floors.back() - floors[kRiseParts / 2];
  out.second_half = first > 0 ? second / first : std::numeric_limits<double>::infinity();

  const Pauses pauses = find_pauses(floors);
  const double half_error = samples > 0 ? first / std::sqrt(std::max(1.0, samples / 2)) : 0;
  const double error = std::max(half_error, pauses.largest_gain);
  const bool keeps_pace = second + error >= kSlowerPace * first && second >= kMuchSlower * first;
  // The whole of it in one stair, or in the second half only, is no steady rise either.
  const bool is_spread = first > 0 && pauses.largest_gain < out.gain_bytes / 3;
  const std::size_t free_pause = samples >= kManySamples ? 1 : kFreePause;
  const bool goes_on = pauses.longest <= kLongestPause && pauses.last <= std::max(free_pause, pauses.longest);
  out.steady = keeps_pace && is_spread && goes_on;
  return out;
}

}  // namespace lowtide::explain
