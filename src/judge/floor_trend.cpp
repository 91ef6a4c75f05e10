#include "judge/floor_trend.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "judge/statistics.h"

namespace lowtide::judge {

double floor_trend(std::span<const double> lows) {
  constexpr std::size_t kMostParts = 24;
  constexpr std::size_t kFewestInPart = 2;
  const std::size_t width = std::max(kFewestInPart, (lows.size() + kMostParts - 1) / kMostParts);
  std::vector<double> places;
  std::vector<double> floors;
  for (std::size_t at = 0; at + width <= lows.size(); at += width) {
    const std::span<const double> part = lows.subspan(at, width);
    places.push_back(static_cast<double>(at));
    floors.push_back(*std::min_element(part.begin(), part.end()));
  }
  if (floors.size() < 2) return 0;
  return theil_sen(places, floors) * static_cast<double>(lows.size());
}

}  // namespace lowtide::judge
