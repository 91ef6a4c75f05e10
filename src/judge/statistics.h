// Small robust statistics on spans of doubles. Nothing here knows what memory is.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lowtide::judge {

// The q-quantile (0..1) with linear interpolation; 0 for no values. Takes a copy: it must reorder.
double quantile(std::vector<double> values, double q);

double median(std::vector<double> values);

double mean(std::span<const double> values);

// Median absolute deviation, scaled to the standard deviation of a normal distribution.
double mad_sd(std::span<const double> values);

// Neighbour differences.
std::vector<double> differences(std::span<const double> values);

// Noise of a series that may also drift: the spread of its differences.
double noise_sd(std::span<const double> values);

struct Line {
  double intercept = 0;
  double slope = 0;
  double sse = 0;  // sum of squared residuals
};

// Least squares of y on x.
Line fit_line(std::span<const double> x, std::span<const double> y);

// Least squares of y on x and on a second function of x.
struct Pair {
  double slope = 0;  // on x
  double turn = 0;   // on the second function
  double sse = std::numeric_limits<double>::infinity();
};

Pair fit_pair(std::span<const double> x, std::span<const double> second, std::span<const double> y);

// Least squares of y on x and x^2: the slope at end_x, and how much better
// than a straight line it is, in BIC (> 0: better). Convex fits only, else advantage 0.
struct Acceleration {
  double slope_at_end = 0;
  double advantage = 0;
};

Acceleration fit_acceleration(std::span<const double> x, std::span<const double> y, double end_x,
                              double least_sd);

// Median of the slopes of all pairs (Theil-Sen): tolerates up to 29% outliers;
// checkpoints and evaluations are outliers here.
double theil_sen(std::span<const double> x, std::span<const double> y);

// A slope with its uncertainty, corrected for first-order autocorrelation.
struct SlopeEstimate {
  double slope = 0;
  double standard_error = 0;
  double effective_points = 0;  // as many independent points would say as much
  double residual_sd = 0;
  double autocorrelation = 0;  // of neighbouring residuals
};

// `least_sd` is the smallest residual spread that is believed: quantised
// series would otherwise claim certainty.
SlopeEstimate estimate_slope(std::span<const double> x, std::span<const double> y, double least_sd);

// Least squares of y on x where neighbouring residuals are correlated (Prais-Winsten): near 1 it compares the
// ends, and for 0 it is least squares. What a value adds to the one before it is independent, so t rests on
// as many values as there are.
struct CorrelatedLine {
  double slope = 0;
  double t = 0;  // of the slope
};

CorrelatedLine fit_correlated(std::span<const double> x, std::span<const double> y, double autocorrelation,
                              double least_sd);

// How surely the slope changes at x = `at`, whatever the correlation (Cochrane-Orcutt): a t statistic without
// its sign.
double turn_t(std::span<const double> x, std::span<const double> y, double at, double least_sd);

// The same for growth in bursts: a walk with a drift, which strays from every line. It compares increments,
// not levels. Its error is that of increments of which neighbours are correlated (Newey-West), because a
// burst may last for several.
double pace_turn_t(std::span<const double> x, std::span<const double> y, double at, double least_sd);

// The same for a pace that rises all along; negative if it falls.
double pace_acceleration_t(std::span<const double> x, std::span<const double> y, double least_sd);

// t statistic of the mean increment: holds against a random walk without
// drift, i.e. against any autocorrelation.
double random_walk_t(std::span<const double> values);

// How many standard errors a slope must show when it is looked at again and
// again: the normal mixture boundary of Howard et al. 2021, tightest at about
// 16 effective points, with a small-sample correction.
double time_uniform_boundary(double effective_points, double alpha);

}  // namespace lowtide::judge
