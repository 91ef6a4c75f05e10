#pragma once

#include <cstdint>
#include <vector>

namespace lowtide::model {

// A stretch of neighbouring samples, as thin as memory allowed: what a plot needs.
struct Stretch {
  double at_s = 0;  // of its first sample; NaN = not known
  double step = 0;
  std::uint64_t samples = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  double mean_bytes = 0;
};

// The whole series in at most about a thousand stretches, oldest first.
using Outline = std::vector<Stretch>;

}  // namespace lowtide::model
