#include "judge/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lowtide::judge {
namespace {

constexpr std::size_t kNeighbours = 2;  // increments later, one burst may still go on
constexpr std::size_t kFewestToCompare = 6;

// Lag-1, with its small-sample bias taken off (Marriott & Pope).
double autocorrelation_of(std::span<const double> residuals) {
  if (residuals.size() < 6) return 0.3;
  double squares = 0;
  double neighbours = 0;
  for (std::size_t at = 0; at < residuals.size(); ++at) {
    squares += residuals[at] * residuals[at];
    if (at > 0) neighbours += residuals[at] * residuals[at - 1];
  }
  const double lag1 = neighbours / std::max(1e-12, squares);
  const double bias = (1 + 4 * std::max(0.0, lag1)) / static_cast<double>(residuals.size());
  return std::clamp(lag1 + bias, 0.0, 0.9);
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double low = *middle;
  const double share = at - static_cast<double>(below);
  if (share <= 0.0) return low;
  const double high = *std::min_element(middle + 1, values.end());
  return low + share * (high - low);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mad_sd(std::span<const double> values) {
  std::vector<double> deviations(values.begin(), values.end());
  const double centre = median(deviations);
  for (double& value : deviations) value = std::abs(value - centre);
  return 1.4826 * median(std::move(deviations));
}

std::vector<double> differences(std::span<const double> values) {
  std::vector<double> out;
  if (values.size() < 2) return out;
  out.reserve(values.size() - 1);
  for (std::size_t at = 1; at < values.size(); ++at) out.push_back(values[at] - values[at - 1]);
  return out;
}

double noise_sd(std::span<const double> values) {
  return mad_sd(differences(values)) / std::sqrt(2.0);
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double sxx = 0;
  double sxy = 0;
  double syy = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    const double dx = x[at] - mean_x;
    const double dy = y[at] - mean_y;
    sxx += dx * dx;
    sxy += dx * dy;
    syy += dy * dy;
  }
  const double slope = sxx > 0 ? sxy / sxx : 0.0;
  return {mean_y - slope * mean_x, slope, std::max(0.0, syy - slope * sxy)};
}

Pair fit_pair(std::span<const double> x, std::span<const double> second, std::span<const double> y) {
  const double mean_x = mean(x);
  const double mean_b = mean(second);
  const double mean_y = mean(y);
  double sxx = 0, sbb = 0, sxb = 0, sxy = 0, sby = 0, syy = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    const double dx = x[at] - mean_x;
    const double db = second[at] - mean_b;
    const double dy = y[at] - mean_y;
    sxx += dx * dx, sbb += db * db, sxb += dx * db, sxy += dx * dy, sby += db * dy, syy += dy * dy;
  }
  const double determinant = sxx * sbb - sxb * sxb;
  if (determinant <= 1e-12 * sxx * sbb) return {};
  Pair out;
  out.slope = (sxy * sbb - sby * sxb) / determinant;
  out.turn = (sby * sxx - sxy * sxb) / determinant;
  out.sse = std::max(0.0, syy - out.slope * sxy - out.turn * sby);
  return out;
}

Acceleration fit_acceleration(std::span<const double> x, std::span<const double> y, double end_x,
                              double least_sd) {
  const std::size_t count = x.size();
  if (count < 6 || x.back() <= x.front()) return {};
  // Centred and scaled, so that x and x^2 are nearly independent.
  const double mean_x = mean(x);
  const double reach = x.back() - x.front();
  std::vector<double> square(count);
  for (std::size_t at = 0; at < count; ++at) {
    const double z = (x[at] - mean_x) / reach;
    square[at] = z * z;
  }
  const double mean_y = mean(y);
  const double mean_s = mean(square);
  double szz = 0, sss = 0, szs = 0, szy = 0, ssy = 0, syy = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const double dz = (x[at] - mean_x) / reach;
    const double ds = square[at] - mean_s;
    const double dy = y[at] - mean_y;
    szz += dz * dz, sss += ds * ds, szs += dz * ds, szy += dz * dy, ssy += ds * dy, syy += dy * dy;
  }
  const double determinant = szz * sss - szs * szs;
  if (determinant <= 1e-12 * szz * sss) return {};
  const double slope = (szy * sss - ssy * szs) / determinant;
  const double bend = (ssy * szz - szy * szs) / determinant;
  if (bend <= 0) return {};
  const auto points = static_cast<double>(count);
  const double curved_sse = std::max(0.0, syy - slope * szy - bend * ssy);
  const double straight_sse = std::max(0.0, syy - szy * szy / szz);
  const double floor = points * least_sd * least_sd;
  const double advantage =
      points * std::log((straight_sse + floor) / (curved_sse + floor)) - 1.5 * std::log(points);
  const double end = (end_x - mean_x) / reach;
  return {(slope + 2 * bend * end) / reach, advantage};
}

double theil_sen(std::span<const double> x, std::span<const double> y) {
  std::vector<double> slopes;
  slopes.reserve(x.size() * x.size() / 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[j] > x[i]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  return median(std::move(slopes));
}

SlopeEstimate estimate_slope(std::span<const double> x, std::span<const double> y, double least_sd) {
  const std::size_t count = x.size();
  if (count < 3 || x.back() <= x.front()) {
    return {0.0, std::numeric_limits<double>::infinity(), 2.0, least_sd, 0.0};
  }
  SlopeEstimate out;
  out.slope = theil_sen(x, y);

  std::vector<double> residuals(count);
  for (std::size_t at = 0; at < count; ++at) residuals[at] = y[at] - out.slope * x[at];
  const double centre = median(residuals);
  for (double& value : residuals) value -= centre;

  const double reach = 4.0 * std::max(mad_sd(residuals), 1e-9);
  double clipped = 0;
  for (const double residual : residuals) {
    const double bounded = std::clamp(residual, -reach, reach);
    clipped += bounded * bounded;
  }
  const auto points = static_cast<double>(count);
  out.residual_sd = std::max(least_sd, std::sqrt(clipped / std::max(1.0, points - 2)));
  const double phi = autocorrelation_of(residuals);
  out.autocorrelation = phi;
  out.effective_points = std::max(3.0, points * (1 - phi) / (1 + phi));

  const double mean_x = mean(x);
  double sxx = 0;
  for (const double value : x) sxx += (value - mean_x) * (value - mean_x);
  out.standard_error = out.residual_sd * std::sqrt((1 + phi) / (1 - phi) / sxx);
  return out;
}

CorrelatedLine fit_correlated(std::span<const double> x, std::span<const double> y, double autocorrelation,
                              double least_sd) {
  if (x.size() < 4) return {};
  const double first = std::sqrt(1 - autocorrelation * autocorrelation);
  // Columns: the constant, x, and y, each without what its neighbour already says.
  double s11 = 0, s1x = 0, sxx = 0, s1y = 0, sxy = 0, syy = 0;
  for (std::size_t at = 0; at < x.size(); ++at) {
    const double one = at == 0 ? first : 1 - autocorrelation;
    const double dx = at == 0 ? 0.0 : x[at] - x[0] - autocorrelation * (x[at - 1] - x[0]);
    const double dy = at == 0 ? 0.0 : y[at] - y[0] - autocorrelation * (y[at - 1] - y[0]);
    s11 += one * one, s1x += one * dx, sxx += dx * dx, s1y += one * dy, sxy += dx * dy, syy += dy * dy;
  }
  const double determinant = s11 * sxx - s1x * s1x;
  if (determinant <= 1e-12 * s11 * sxx) return {};
  const double slope = (s11 * sxy - s1x * s1y) / determinant;
  const double sse = std::max(0.0, syy - s1y * s1y / s11 - slope * slope * determinant / s11);
  const double variance =
      std::max(sse / (static_cast<double>(x.size()) - 2), least_sd * least_sd * first * first);
  return {slope, slope / std::sqrt(variance * s11 / determinant)};
}

namespace {

// t statistic of the regression of the paces between neighbours on `z`, which has one value for each.
double pace_regression_t(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                         double least_sd) {
  const std::size_t count = z.size();
  const double width = (x.back() - x.front()) / static_cast<double>(count);
  std::vector<double> paces;
  for (std::size_t at = 0; at < count; ++at)
    paces.push_back((y[at + 1] - y[at]) * width / std::max(1e-12, x[at + 1] - x[at]));
  const Line line = fit_line(z, paces);
  const double centre = mean(z);
  double szz = 0;
  for (const double value : z) szz += (value - centre) * (value - centre);
  if (szz <= 0) return 0.0;

  // Newey and West: the variance of a sum of increments of which neighbours are correlated.
  std::vector<double> rest;
  for (std::size_t at = 0; at < count; ++at) rest.push_back(paces[at] - line.intercept - line.slope * z[at]);
  double variance = line.sse;
  for (std::size_t lag = 1; lag <= kNeighbours; ++lag) {
    double products = 0;
    for (std::size_t at = lag; at < count; ++at) products += rest[at] * rest[at - lag];
    variance += 2 * (1 - static_cast<double>(lag) / (kNeighbours + 1)) * products;
  }
  variance = std::max(0.0, variance) / static_cast<double>(count - 2) + least_sd * least_sd;
  return line.slope / std::sqrt(variance / szz);
}

// What each value adds to the one before it.
std::vector<double> innovations(std::span<const double> values, double autocorrelation) {
  std::vector<double> out;
  for (std::size_t at = 1; at < values.size(); ++at)
    out.push_back(values[at] - autocorrelation * values[at - 1]);
  return out;
}

// In the middle between neighbours.
std::vector<double> midpoints(std::span<const double> x) {
  std::vector<double> out;
  for (std::size_t at = 1; at < x.size(); ++at) out.push_back((x[at - 1] + x[at]) / 2);
  return out;
}

}  // namespace

double turn_t(std::span<const double> x, std::span<const double> y, double at, double least_sd) {
  if (x.size() < 6) return 0.0;
  std::vector<double> bend;
  for (const double value : x) bend.push_back(std::max(0.0, value - at));
  const Pair hinge = fit_pair(x, bend, y);
  std::vector<double> residuals;
  for (std::size_t i = 0; i < x.size(); ++i)
    residuals.push_back(y[i] - hinge.slope * x[i] - hinge.turn * bend[i]);
  const double centre = mean(residuals);
  for (double& residual : residuals) residual -= centre;
  const double phi = autocorrelation_of(residuals);
  const std::vector<double> new_x = innovations(x, phi);
  const std::vector<double> new_y = innovations(y, phi);
  const double sse = fit_pair(new_x, innovations(bend, phi), new_y).sse;
  const double variance =
      std::max(sse / (static_cast<double>(new_x.size()) - 3), least_sd * least_sd * (1 - phi * phi));
  return std::sqrt(std::max(0.0, fit_line(new_x, new_y).sse - sse) / variance);
}

double pace_turn_t(std::span<const double> x, std::span<const double> y, double at, double least_sd) {
  if (x.size() < kFewestToCompare) return 0.0;
  std::vector<double> later = midpoints(x);
  for (double& place : later) place = place >= at ? 1 : 0;
  return std::abs(pace_regression_t(x, y, later, least_sd));
}

double pace_acceleration_t(std::span<const double> x, std::span<const double> y, double least_sd) {
  if (x.size() < kFewestToCompare) return 0.0;
  return pace_regression_t(x, y, midpoints(x), least_sd);
}

double random_walk_t(std::span<const double> values) {
  const std::vector<double> steps = differences(values);
  if (steps.size() < 4) return 0.0;
  const auto count = static_cast<double>(steps.size());
  const double centre = mean(steps);
  double squares = 0;
  for (const double step : steps) squares += (step - centre) * (step - centre);
  const double sd = std::sqrt(squares / (count - 1));
  return centre / std::max(1e-9, sd / std::sqrt(count));
}

double time_uniform_boundary(double effective_points, double alpha) {
  const double spread = 2 * std::log(1 / alpha);
  const double rho = 16.0 / (spread + std::log(1 + spread));
  const double v = std::max(effective_points, 3.0);
  const double z = std::sqrt((v + rho) / v * std::log((v + rho) / (rho * alpha * alpha)));
  const double freedom = std::max(1.5, v - 2);
  return z * (1 + (z * z + 1) / (8 * freedom));
}

}  // namespace lowtide::judge
