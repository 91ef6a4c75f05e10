#pragma once

#include <algorithm>

namespace lowtide::judge {

// An absolute amount that is small for any trainer, but for a process of a few
// MB no more than a share of its level.
inline double at_most_share(double bytes, double level, double share) {
  return std::min(bytes, share * level);
}

}  // namespace lowtide::judge
