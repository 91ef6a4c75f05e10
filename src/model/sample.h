#pragma once

#include <cstdint>
#include <limits>

namespace lowtide::model {

// NaN in Sample::at_s and Sample::step means that it was not known. A plain
// double, not an optional: ten million samples a second pass through here.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// One reading of one quantity.
struct Sample {
  double at_s = kUnknown;  // seconds from the start of the series
  double step = kUnknown;  // the trainer's own step
  std::uint64_t bytes = 0;
};

}  // namespace lowtide::model
