#include "judge/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lowtide::judge {
namespace {

TEST(Quantile, lies_between_neighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1.0), 4);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(TheilSen, stands_with_a_quarter_of_outliers) {
  std::vector<double> x;
  std::vector<double> y;
  for (int at = 0; at < 40; ++at) {
    x.push_back(at);
    y.push_back(at % 4 == 0 ? 1e6 : 2.0 * at);
  }

  EXPECT_NEAR(theil_sen(x, y), 2.0, 0.05);
}

// Independent normal noise: the 95% interval of the slope must hold the truth
// in about 95 of 100 cases. Binomial: fewer than 372 of 400 has p < 1%; the
// autocorrelation correction widens the interval, so there is no upper bound.
TEST(EstimateSlope, its_interval_holds_the_truth) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 5);
  int held = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<double> x;
    std::vector<double> y;
    for (int at = 0; at < 32; ++at) {
      x.push_back(at);
      y.push_back(100 + 0.7 * at + noise(random));
    }
    const SlopeEstimate estimate = estimate_slope(x, y, 0);
    if (std::abs(estimate.slope - 0.7) < 1.96 * estimate.standard_error) ++held;
  }

  EXPECT_GE(held, 372) << "seed 7";
}

TEST(EstimateSlope, two_points_have_no_error_to_speak_of) {
  const std::vector<double> x = {0, 1};
  EXPECT_TRUE(std::isinf(estimate_slope(x, x, 0).standard_error));
}

TEST(FitAcceleration, gives_the_slope_at_the_end_of_a_parabola) {
  std::vector<double> x;
  std::vector<double> y;
  for (int at = 0; at <= 20; ++at) {
    x.push_back(at);
    y.push_back(3.0 * at * at);
  }

  const Acceleration fit = fit_acceleration(x, y, 20, 1e-3);

  EXPECT_NEAR(fit.slope_at_end, 120, 1e-6);
  EXPECT_GT(fit.advantage, 100);
}

TEST(FitAcceleration, a_line_and_a_concave_curve_have_none) {
  std::vector<double> x;
  std::vector<double> root;
  for (int at = 0; at <= 20; ++at) {
    x.push_back(at);
    root.push_back(std::sqrt(at));
  }
  EXPECT_LE(fit_acceleration(x, x, 20, 1e-3).advantage, 0);
  EXPECT_LE(fit_acceleration(x, root, 20, 1e-3).advantage, 0);
}

TEST(TimeUniformBoundary, asks_for_more_when_there_is_less_to_go_by) {
  EXPECT_GT(time_uniform_boundary(4, 0.01), time_uniform_boundary(16, 0.01));
  EXPECT_GT(time_uniform_boundary(16, 0.001), time_uniform_boundary(16, 0.01));
  EXPECT_GT(time_uniform_boundary(16, 0.01), 2.33);  // more than a single look would need
}

TEST(FitCorrelated, lies_between_least_squares_and_the_ends) {
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const std::vector<double> y = {0, 5, 2, 3, 4};
  EXPECT_NEAR(fit_correlated(x, y, 0, 1e-3).slope, fit_line(x, y).slope, 1e-12);
  EXPECT_NEAR(fit_correlated(x, y, 0.9999, 1e-3).slope, 1.0, 1e-3);
}

TEST(FitCorrelated, is_as_sure_as_least_squares_without_correlation_and_less_sure_with_it) {
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const std::vector<double> y = {0, 5, 2, 3, 4};
  // By hand: slope 0.6, sum of squares 11.2, sum of (x - 2)^2 10.
  EXPECT_NEAR(fit_correlated(x, y, 0, 1e-3).t, 0.6 / std::sqrt(11.2 / 3 / 10), 1e-9);
  EXPECT_LT(fit_correlated(x, y, 0.8, 1e-3).t, 0.8);
  EXPECT_LT(fit_correlated(x, y, 0, 100).t, 0.1);  // never surer than the least spread allows
}

TEST(TurnT, tells_a_turn_from_bursts) {
  std::vector<double> x;
  std::vector<double> turned;
  std::vector<double> bursts;
  for (int at = 0; at < 40; ++at) {
    x.push_back(at);
    turned.push_back((at < 20 ? at : 3 * at - 40) + (at % 3 == 0 ? 0.5 : 0.0));
    bursts.push_back(at < 8 ? 0 : at < 12 ? 10 * (at - 8) : at < 22 ? 40 : at < 28 ? 40 + 8 * (at - 22) : 88);
  }
  EXPECT_GT(turn_t(x, turned, 20, 0.1), 20);
  EXPECT_LT(turn_t(x, bursts, 22, 0.1), 4);
}

// Growth in bursts of unequal size after pauses of unequal length, at 40 places. Its pace does not change, so
// fewer than one in ten may seem to turn in the middle or to accelerate.
TEST(PaceT, of_bursts_is_small_and_of_a_turn_is_large) {
  constexpr int kRuns = 200;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unequal(0.4, 1.6);
  int turned = 0;
  int accelerated = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> x;
    std::vector<double> y;
    double level = 0;
    while (x.size() < 40) {
      const int pause = static_cast<int>(std::lround(3 * unequal(random)));
      const double size = unequal(random);
      for (int at = 0; at < pause + 2; ++at) {
        if (at >= pause) level += size / 2;
        x.push_back(static_cast<double>(x.size()));
        y.push_back(level);
      }
    }
    if (pace_turn_t(x, y, 20, 0.01) > 2.5) ++turned;
    if (pace_acceleration_t(x, y, 0.01) > 2.5) ++accelerated;
  }
  EXPECT_LT(turned, kRuns / 10) << "seed 11";
  EXPECT_LT(accelerated, kRuns / 10) << "seed 11";

  std::vector<double> x;
  std::vector<double> turning;
  std::vector<double> accelerating;
  for (int at = 0; at < 40; ++at) {
    x.push_back(at);
    turning.push_back((at < 20 ? at : 2 * at - 20) + (at % 3 == 0 ? 0.2 : 0.0));
    accelerating.push_back(0.02 * at * at + (at % 3 == 0 ? 0.2 : 0.0));
  }
  EXPECT_GT(pace_turn_t(x, turning, 20, 0.01), 5);
  EXPECT_GT(pace_acceleration_t(x, accelerating, 0.01), 5);
}

}  // namespace
}  // namespace lowtide::judge
