#include "show/terminal/scale.h"

#include <gtest/gtest.h>

namespace lowtide::show {
namespace {

TEST(Scale, memory_starts_at_zero_with_round_numbers) {
  const Scale scale = byte_scale(5.4e9, 17.7e9);

  EXPECT_EQ(scale.low, 0.0);
  EXPECT_GE(scale.high, 17.7e9);
  EXPECT_EQ(scale.ticks.back().label, "20 GB");
}

TEST(Scale, small_movement_on_a_high_level_is_magnified) {
  const Scale scale = byte_scale(16.9e9, 17.9e9);

  EXPECT_GT(scale.low, 15e9);
  EXPECT_LT(scale.high, 19e9);
}

TEST(Scale, noise_of_a_flat_series_does_not_fill_the_picture) {
  const Scale scale = byte_scale(16.999e9, 17.0e9);

  EXPECT_GE(scale.high - scale.low, 0.05 * 17e9);
}

TEST(Scale, ends_are_never_the_same) {
  EXPECT_GT(byte_scale(0, 0).high, byte_scale(0, 0).low);
  EXPECT_GT(count_scale(5, 5, 4).high, 5.0);
  EXPECT_GT(time_scale(0, 0, 4).high, 0.0);
}

TEST(Scale, labels_are_apart) {
  const Scale scale = byte_scale(1.01e9, 1.06e9);

  ASSERT_GE(scale.ticks.size(), 3U);
  for (std::size_t at = 1; at < scale.ticks.size(); ++at)
    EXPECT_NE(scale.ticks[at].label, scale.ticks[at - 1].label);
}

TEST(Scale, time_has_the_unit_that_fits) {
  EXPECT_EQ(time_scale(0, 60, 6).ticks.back().label, "60 s");
  EXPECT_EQ(time_scale(0, 3600, 6).ticks.back().label, "60 min");
  EXPECT_EQ(time_scale(0, 36000, 5).ticks.back().label, "10 h");
}

}  // namespace
}  // namespace lowtide::show
