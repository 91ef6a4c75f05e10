#include "watch/pace.h"

#include <gtest/gtest.h>

namespace lowtide::watch {
namespace {

TEST(PaceTest, ticks_are_close_at_first_and_near_the_limit) {
  const Pace pace({});

  EXPECT_EQ(pace.wait_s({.at_s = 10}), 0.25);
  EXPECT_EQ(pace.wait_s({.at_s = 4000}), 1.0);
  EXPECT_EQ(pace.wait_s({.at_s = 4000, .room_share = 0.05}), 0.1);
  EXPECT_EQ(pace.wait_s({.at_s = 4000, .pressure_percent = 50}), 0.1);
}

TEST(PaceTest, the_users_interval_is_kept_unless_a_tick_costs_too_much) {
  const Pace pace(0.5);

  EXPECT_EQ(pace.wait_s({.at_s = 4000, .room_share = 0.05}), 0.5);
  EXPECT_EQ(pace.wait_s({.at_s = 10, .tick_cost_s = 0.060}), 6.0);
  EXPECT_EQ(pace.wait_s({.at_s = 10, .tick_cost_s = 0.060, .cost_before_s = 0.050}), 5.0);
}

TEST(PaceTest, a_tick_that_was_dear_alone_is_not_followed_by_blindness) {
  EXPECT_EQ(Pace(0.05).wait_s({.at_s = 10, .tick_cost_s = 0.1, .cost_before_s = 0.0003}), 0.5);
}

}  // namespace
}  // namespace lowtide::watch
