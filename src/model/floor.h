// The floor of a series at its beginning and at its end, and its growth: the one definition, for verdicts,
// gates, reports and the screen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"
#include "model/verdict.h"

namespace lowtide::model {

// The lowest of the first and of the last fortieth. `lows` in order of time: readings, or the lowest of
// stretches of equal length. Empty: 0 at both ends.
inline Floor find_floor(std::span<const double> lows) {
  if (lows.empty()) return {};
  const std::size_t few = std::max<std::size_t>(1, lows.size() / 40);
  const auto lowest = [](std::span<const double> part) {
    return base::to_bytes(*std::min_element(part.begin(), part.end()));
  };
  return {lowest(lows.first(few)), lowest(lows.last(few))};
}

// Negative where it fell.
inline std::int64_t floor_growth(const Floor& floor) {
  return static_cast<std::int64_t>(floor.last_bytes) - static_cast<std::int64_t>(floor.first_bytes);
}

}  // namespace lowtide::model
