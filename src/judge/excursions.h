// Rises that recovered: validation, checkpoints, garbage-collection teeth.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lowtide::judge {

// A run of points that stand above a level to which the series returns within
// the next quarter of it.
struct Excursion {
  std::size_t first = 0;
  std::size_t last = 0;
  double height = 0;

  [[nodiscard]] std::size_t length() const { return last - first + 1; }
};

std::vector<Excursion> find_excursions(std::span<const double> values, double threshold);

}  // namespace lowtide::judge
