#include "screen/low_water.h"

#include <gtest/gtest.h>

#include "screen/testing/megabyte.h"

namespace lowtide::screen {
namespace {

TEST(LowWater, finds_growth_and_pace_of_a_ramp_however_long_it_is) {
  for (const int seconds : {10, 1000, 100'000}) {
    LowWater ramp;
    for (int at = 0; at < seconds; ++at) ramp.add(at, (100 + static_cast<std::uint64_t>(at)) * kMB);

    EXPECT_NEAR(static_cast<double>(ramp.growth_bytes()), seconds * 1e6, seconds * 0.15e6 + 2e6);
    ASSERT_TRUE(ramp.bytes_per_s());
    EXPECT_NEAR(*ramp.bytes_per_s(), 1e6, 0.05e6);
  }
}

TEST(LowWater, spikes_do_not_move_it) {
  LowWater spikes;
  for (int at = 0; at < 1000; ++at) spikes.add(at, at % 10 == 9 ? 900 * kMB : 100 * kMB);

  EXPECT_EQ(spikes.growth_bytes(), 0);
  EXPECT_EQ(spikes.bytes_per_s(), 0.0);
}

TEST(LowWater, a_warm_up_that_ended_has_grown_and_no_longer_grows) {
  LowWater warmup;
  for (int at = 0; at < 1000; ++at) warmup.add(at, static_cast<std::uint64_t>(std::min(at, 200)) * kMB);

  EXPECT_GT(warmup.growth_bytes(), static_cast<std::int64_t>(150 * kMB));
  EXPECT_EQ(warmup.bytes_per_s(), 0.0);
}

TEST(LowWater, says_nothing_of_what_it_has_hardly_seen) {
  LowWater little;
  EXPECT_EQ(little.growth_bytes(), 0);
  EXPECT_FALSE(little.bytes_per_s());
  little.add(0, 5);
  EXPECT_EQ(little.growth_bytes(), 0);
  little.add(1, 3);
  EXPECT_EQ(little.growth_bytes(), -2);
  EXPECT_FALSE(little.bytes_per_s());
}

TEST(LowWater, what_is_freed_falls) {
  LowWater falling;
  for (int at = 0; at < 100; ++at) falling.add(at, (200 - static_cast<std::uint64_t>(at)) * kMB);

  EXPECT_LT(falling.growth_bytes(), 0);
  EXPECT_LT(falling.bytes_per_s().value_or(0), 0);
}

}  // namespace
}  // namespace lowtide::screen
