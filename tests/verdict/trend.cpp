#include "verdict/trend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace lowtide::bench {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> thin(std::span<const double> values, std::size_t most) {
  std::vector<double> kept;
  kept.reserve(most);
  const double stride = static_cast<double>(values.size() - 1) / static_cast<double>(most - 1);
  for (std::size_t k = 0; k < most; ++k) {
    kept.push_back(values[static_cast<std::size_t>(static_cast<double>(k) * stride)]);
  }
  return kept;
}

// n(n-1)(2n+5)/18, less what ties take away.
double kendall_variance(std::span<const double> y) {
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::map<double, double> counts;
  for (const double value : y) counts[value] += 1;
  double variance = term(static_cast<double>(y.size()));
  for (const auto& [value, count] : counts) variance -= term(count);
  return variance / 18;
}

std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  const double middle = (static_cast<double>(values.size()) - 1) / 2;
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    ranks[order[rank]] = static_cast<double>(rank) - middle;
  return ranks;
}

double hamed_rao_factor(std::span<const double> x, std::span<const double> y, double slope) {
  const std::size_t count = y.size();
  std::vector<double> detrended(count);
  for (std::size_t i = 0; i < count; ++i) detrended[i] = y[i] - slope * x[i];
  const std::vector<double> ranks = centred_ranks(detrended);
  const double variance = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  const auto n = static_cast<double>(count);
  double sum = 0;
  for (std::size_t lag = 1; lag < std::min(count - 3, count / 2); ++lag) {
    double product = 0;
    for (std::size_t i = lag; i < count; ++i) product += ranks[i - lag] * ranks[i];
    const double correlation = product / std::max(variance, 1e-12);
    if (std::abs(correlation) <= 1.96 / std::sqrt(n)) continue;
    const double left = n - static_cast<double>(lag);
    sum += left * (left - 1) * (left - 2) * correlation;
  }
  return std::max(1.0, 1 + 2 * sum / (n * (n - 1) * (n - 2)));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const std::size_t count = y.size();
  if (count < 2) return {};
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double sxx = 0;
  double sxy = 0;
  double syy = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
    syy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (sxx <= 0) return {};
  const double slope = sxy / sxx;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double residual = y[i] - mean_y - slope * (x[i] - mean_x);
    squares += residual * residual;
  }
  const double freedom = std::max(1.0, static_cast<double>(count) - 2);
  return {.slope = slope,
          .slope_error = std::sqrt(std::max(1e-30, squares / freedom / sxx)),
          .r2 = 1 - squares / std::max(syy, 1e-9)};
}

MonotoneTrend find_monotone_trend(std::span<const double> x, std::span<const double> y,
                                  Autocorrelation autocorrelation) {
  constexpr std::size_t kMostSamples = 500;
  if (y.size() > kMostSamples) {
    const std::vector<double> thin_x = thin(x, kMostSamples);
    const std::vector<double> thin_y = thin(y, kMostSamples);
    return find_monotone_trend(thin_x, thin_y, autocorrelation);
  }
  const std::size_t count = y.size();
  std::vector<double> slopes;
  slopes.reserve(count * (count - 1) / 2);
  double ups = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const double rise = y[j] - y[i];
      ups += static_cast<double>(rise > 0) - static_cast<double>(rise < 0);
      if (x[j] > x[i]) slopes.push_back(rise / (x[j] - x[i]));
    }
  }
  MonotoneTrend trend{.z = 0, .slope = median(std::move(slopes))};
  double variance = kendall_variance(y);
  if (autocorrelation == Autocorrelation::HamedRao && count > 10)
    variance *= hamed_rao_factor(x, y, trend.slope);
  const double sign = static_cast<double>(ups > 0) - static_cast<double>(ups < 0);
  trend.z = (ups - sign) / std::sqrt(std::max(variance, 1e-9));
  return trend;
}

}  // namespace lowtide::bench
