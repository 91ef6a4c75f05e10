// How often the counters of GPUs are read.
#pragma once

#include <algorithm>

namespace lowtide::observe {

// A short run needs many readings for a verdict, a long one gets them anyway.
inline double gpu_interval_s(double at_s) {
  constexpr double kOfAge = 1.0 / 120;
  return std::clamp(kOfAge * at_s, 0.25, 1.0);
}

}  // namespace lowtide::observe
