#include "judge/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace lowtide::judge {
namespace {

ShapeFit fit(const std::function<double(double)>& curve) {
  std::vector<double> x;
  std::vector<double> y;
  for (int at = 0; at < 40; ++at) {
    x.push_back(at / 39.0);
    y.push_back(curve(x.back()) + (at % 2 == 0 ? 0.5 : -0.5));  // a little noise, the same each time
  }
  return fit_shapes(x, y, 0.5);
}

TEST(FitShapes, names_the_simplest_shape_that_fits) {
  EXPECT_EQ(fit([](double) { return 100.0; }).best, Shape::Constant);
  EXPECT_EQ(fit([](double x) { return 100 + 80 * x; }).best, Shape::Line);
  EXPECT_EQ(fit([](double x) { return x < 0.5 ? 100.0 : 150.0; }).best, Shape::Jump);
  EXPECT_EQ(fit([](double x) { return 100 + 100 * std::min(x, 0.4); }).best, Shape::Hinge);
}

TEST(FitShapes, a_curve_that_bends_over_beats_every_straight_one) {
  const ShapeFit saturation = fit([](double x) { return 200 - 100 * std::exp(-x / 0.18); });
  EXPECT_EQ(saturation.best, Shape::Saturation);
  EXPECT_GT(saturation.advantage, 6);
  EXPECT_NEAR(saturation.remaining, 100 * std::exp(-1 / 0.18), 1.0);

  EXPECT_GT(fit([](double x) { return 100 + 100 * std::sqrt(x); }).advantage, 6);
}

TEST(FitShapes, a_line_below_a_rise_that_decays_is_straight_after_a_knee) {
  const ShapeFit shape = fit([](double x) { return 100 + 60 * x - 80 * std::exp(-x / 0.05); });
  EXPECT_EQ(shape.best, Shape::Hinge);
  EXPECT_LT(shape.advantage, 0);
  EXPECT_NEAR(static_cast<double>(shape.knee), 0.15 * 39, 3);
}

TEST(FitShapes, finds_the_knee) {
  EXPECT_NEAR(static_cast<double>(fit([](double x) { return 100 + 200 * std::max(0.0, x - 0.5); }).knee),
              19.5, 2);
}

}  // namespace
}  // namespace lowtide::judge
