#include "show/terminal/curve.h"

#include <gtest/gtest.h>

#include "model/sample.h"

namespace lowtide::show {
namespace {

model::Outline outline_of(std::size_t count, double (*value)(double)) {
  model::Outline outline;
  for (std::size_t at = 0; at < count; ++at) {
    const double x = static_cast<double>(at) / static_cast<double>(count - 1);
    const double bytes = value(x);
    outline.push_back({model::kUnknown, static_cast<double>(at), 1, static_cast<std::uint64_t>(bytes),
                       static_cast<std::uint64_t>(bytes), bytes});
  }
  return outline;
}

std::vector<Column> columns(const model::Outline& outline, std::size_t count) {
  return columns_of(outline, abscissas(outline, model::Axis::Step).values, count);
}

TEST(Curve, floor_of_a_ramp_is_the_ramp) {
  const auto drawn = columns(outline_of(100, [](double x) { return 1e9 + 1e9 * x; }), 100);

  for (const Column& column : drawn) EXPECT_NEAR(column.floor, column.low, 1e7);
}

TEST(Curve, floor_lies_under_spikes) {
  const auto drawn = columns(outline_of(200, [](double x) { return x > 0.5 && x < 0.55 ? 5e9 : 1e9; }), 100);

  EXPECT_NEAR(drawn[52].high, 5e9, 1e7);
  for (const Column& column : drawn) EXPECT_NEAR(column.floor, 1e9, 1e7);
}

TEST(Curve, gaps_are_joined_by_a_line) {
  const auto drawn = columns(outline_of(2, [](double x) { return 1e9 + 1e9 * x; }), 11);

  EXPECT_NEAR(drawn[5].low, 1.5e9, 1e7);
}

TEST(Curve, steps_that_run_backwards_give_way_to_time_and_then_to_readings) {
  model::Outline outline(3);
  outline[0] = {0, 10, 1, 1, 1, 1};
  outline[1] = {1, 5, 1, 1, 1, 1};
  outline[2] = {2, 20, 1, 1, 1, 1};
  EXPECT_EQ(abscissas(outline, model::Axis::Step).kind, Abscissa::Time);

  outline[1].at_s = model::kUnknown;
  EXPECT_EQ(abscissas(outline, model::Axis::Step).kind, Abscissa::Reading);
}

}  // namespace
}  // namespace lowtide::show
