// The trend tests that the baselines are made of.
#pragma once

#include <span>
#include <vector>

namespace lowtide::bench {

// Of the values themselves; the mean of the middle two for an even number; 0 for none.
[[nodiscard]] double median(std::vector<double> values);
// Linear between neighbours, as most tools do it; share in 0..1; NaN for none.
[[nodiscard]] double quantile(std::vector<double> values, double share);

struct Line {
  double slope = 0;
  double slope_error = 0;  // standard error, independent residuals assumed
  double r2 = 0;
};

// Least squares. Needs two samples at different x; else a flat line.
[[nodiscard]] Line fit_line(std::span<const double> x, std::span<const double> y);

enum class Autocorrelation { Ignored, HamedRao };

struct MonotoneTrend {
  double z = 0;      // Mann-Kendall, ties counted, continuity corrected
  double slope = 0;  // Theil-Sen
};

// All pairs, O(n^2): series longer than 500 samples are thinned evenly to 500.
// HamedRao (1998) widens the variance by the autocorrelation of the ranks of the
// detrended series; without it positive autocorrelation makes trends out of noise.
[[nodiscard]] MonotoneTrend find_monotone_trend(std::span<const double> x, std::span<const double> y,
                                                Autocorrelation autocorrelation);

}  // namespace lowtide::bench
