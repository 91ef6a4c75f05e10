// Whether a share that was measured on a sample is too small for what is promised of all.
#pragma once

#include <cmath>
#include <cstddef>

#include "verdict/score.h"

namespace lowtide::bench {

inline constexpr double kChanceToFallShort = 0.05;

// P(at most `hits` of `of`) when each is a hit with probability `share`.
inline double binomial_cdf(std::size_t hits, std::size_t of, double share) {
  const auto n = static_cast<double>(of);
  double sum = 0;
  for (std::size_t k = 0; k <= hits; ++k) {
    const auto x = static_cast<double>(k);
    const double log_choose = std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1);
    sum += std::exp(log_choose + x * std::log(share) + (n - x) * std::log1p(-share));
  }
  return sum;
}

// Too few to come from a method whose true share is `percent`.
inline bool falls_short(const Tally& tally, double percent) {
  return tally.of == 0 || binomial_cdf(tally.hits, tally.of, percent / 100) < kChanceToFallShort;
}

}  // namespace lowtide::bench
