#include "verdict/trend.h"

#include <cmath>

#include <gtest/gtest.h>

#include "verdict/rng.h"

namespace lowtide::bench {
namespace {

std::vector<double> count_up(std::size_t count) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(static_cast<double>(i));
  return x;
}

TEST(Trend, least_squares_is_exact_on_a_line) {
  const std::vector<double> x = {0, 1, 2.5, 7, 11};
  std::vector<double> y;
  y.reserve(x.size());
  for (const double at : x) y.push_back(40 + 2.5 * at);

  const Line line = fit_line(x, y);

  EXPECT_NEAR(line.slope, 2.5, 1e-12);
  EXPECT_NEAR(line.slope_error, 0, 1e-9);
  EXPECT_NEAR(line.r2, 1, 1e-12);
}

TEST(Trend, least_squares_error_is_the_textbook_one) {
  // x = 0..3, y = 0 1 1 3: slope 0.9, residuals 0.1 0.2 -0.7 0.4, SSE 0.7, Sxx 5.
  const std::vector<double> x = {0, 1, 2, 3};
  const std::vector<double> y = {0, 1, 1, 3};

  const Line line = fit_line(x, y);

  EXPECT_NEAR(line.slope, 0.9, 1e-12);
  EXPECT_NEAR(line.slope_error, std::sqrt(0.7 / 2 / 5), 1e-12);
}

TEST(Trend, samples_at_one_place_have_no_slope) {
  const std::vector<double> x = {3, 3, 3};
  const std::vector<double> y = {1, 2, 3};

  EXPECT_EQ(fit_line(x, y).slope, 0);
  EXPECT_EQ(find_monotone_trend(x, y, Autocorrelation::Ignored).slope, 0);
}

TEST(Trend, theil_sen_stands_where_least_squares_falls) {
  // A quarter of the samples are spikes; Theil-Sen breaks down at 29%.
  const std::vector<double> x = count_up(80);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(2 * x[i] + (i >= 60 ? 5000 : 0));

  EXPECT_GT(fit_line(x, y).slope, 50);
  EXPECT_NEAR(find_monotone_trend(x, y, Autocorrelation::Ignored).slope, 2, 0.5);
}

TEST(Trend, mann_kendall_is_the_textbook_one) {
  // Ten rising values: S = 45, variance 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125).
  const std::vector<double> x = count_up(10);

  EXPECT_NEAR(find_monotone_trend(x, x, Autocorrelation::Ignored).z, 44 / std::sqrt(125.0), 1e-12);
}

TEST(Trend, ties_lower_the_variance_of_mann_kendall) {
  // 1 1 2 2: S = 4, variance (4*3*13 - 2 * 2*1*9) / 18 = 20 / 3.
  const std::vector<double> x = count_up(4);
  const std::vector<double> y = {1, 1, 2, 2};

  EXPECT_NEAR(find_monotone_trend(x, y, Autocorrelation::Ignored).z, 3 / std::sqrt(20.0 / 3), 1e-12);
}

TEST(Trend, hamed_rao_does_not_take_wander_for_a_trend) {
  // AR(1), phi 0.9, no trend: at z > 2.33 one in a hundred may be called. The
  // plain test calls about three in ten; the bound for the corrected one leaves
  // room for its known liberal bias in short series.
  Rng rng(7);
  const std::vector<double> x = count_up(200);
  int plain = 0;
  int corrected = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> y;
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(value = 0.9 * value + rng.normal());
    plain += find_monotone_trend(x, y, Autocorrelation::Ignored).z > 2.33 ? 1 : 0;
    corrected += find_monotone_trend(x, y, Autocorrelation::HamedRao).z > 2.33 ? 1 : 0;
  }

  EXPECT_GT(plain, 40);
  EXPECT_LT(corrected, 24);
}

TEST(Trend, quantiles_lie_between_neighbours) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_NEAR(quantile({1, 2, 3, 4, 5}, 0.9), 4.6, 1e-12);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

}  // namespace
}  // namespace lowtide::bench
