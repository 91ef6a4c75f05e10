// Bytes that are not known exactly.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/verdict.h"

namespace lowtide::plan {

inline model::Range exactly(double bytes) {
  return {bytes, bytes, bytes};
}

// An estimate with the least and the most that it may be.
inline model::Range about(double estimate, double low, double high) {
  return {estimate, std::min(low, estimate), std::max(high, estimate)};
}

inline model::Range operator*(const model::Range& range, double times) {
  return {range.estimate * times, range.low * times, range.high * times};
}

// Adds up parts that err independently of each other: their errors partly cancel, so the squares are added.
class RangeSum {
 public:
  void add(const model::Range& range) {
    estimate_ += range.estimate;
    below_ = std::hypot(below_, range.estimate - range.low);
    above_ = std::hypot(above_, range.high - range.estimate);
  }

  [[nodiscard]] model::Range range() const {
    return {estimate_, std::max(0.0, estimate_ - below_), estimate_ + above_};
  }

 private:
  double estimate_ = 0;
  double below_ = 0;
  double above_ = 0;
};

}  // namespace lowtide::plan
