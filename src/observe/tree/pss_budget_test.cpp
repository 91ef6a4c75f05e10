#include "observe/tree/pss_budget.h"

#include <gtest/gtest.h>

#include "watch/pace.h"

namespace lowtide::observe {
namespace {

// How often a sweep of this cost is allowed in an hour of ticks a second apart.
int sweeps_in_an_hour(double cost_s, double longest_s) {
  PssBudget budget;
  int sweeps = 0;
  for (int second = 0; second < 3600; ++second) {
    if (!budget.allows(second)) continue;
    budget.spend(second, cost_s, longest_s);
    ++sweeps;
  }
  return sweeps;
}

TEST(PssBudgetTest, sweeps_stay_below_their_share_of_a_core) {
  for (const double cost_s : {0.0005, 0.002, 0.036, 0.2}) {
    const double spent_s = sweeps_in_an_hour(cost_s, cost_s) * cost_s;

    EXPECT_LE(spent_s, 3600 * PssBudget::kShare + PssBudget::kFirstCreditS + cost_s) << cost_s;
  }
}

TEST(PssBudgetTest, a_large_process_is_left_alone_for_200_times_what_its_reading_took) {
  PssBudget budget;
  budget.spend(10, 0.012, 0.012);

  EXPECT_FALSE(budget.allows(10 + 0.012 * 199));
  EXPECT_TRUE(budget.allows(10 + 0.012 * 201));
}

TEST(PssBudgetTest, a_small_process_is_read_at_every_tick) {
  EXPECT_GE(sweeps_in_an_hour(0.0008, 0.0008), 3600);
}

TEST(PaceTest, ticks_are_close_at_first_and_near_the_limit) {
  const watch::Pace pace({});

  EXPECT_EQ(pace.wait_s({.at_s = 10}), 0.25);
  EXPECT_EQ(pace.wait_s({.at_s = 4000}), 1.0);
  EXPECT_EQ(pace.wait_s({.at_s = 4000, .room_share = 0.05}), 0.1);
  EXPECT_EQ(pace.wait_s({.at_s = 4000, .pressure_percent = 50}), 0.1);
}

TEST(PaceTest, the_users_interval_is_kept_unless_a_tick_costs_too_much) {
  const watch::Pace pace(0.5);

  EXPECT_EQ(pace.wait_s({.at_s = 4000, .room_share = 0.05}), 0.5);
  EXPECT_EQ(pace.wait_s({.at_s = 10, .tick_cost_s = 0.060}), 6.0);
  EXPECT_EQ(pace.wait_s({.at_s = 10, .tick_cost_s = 0.060, .cost_before_s = 0.050}), 5.0);
}

TEST(PaceTest, a_tick_that_was_dear_alone_is_not_followed_by_blindness) {
  EXPECT_EQ(watch::Pace(0.05).wait_s({.at_s = 10, .tick_cost_s = 0.1, .cost_before_s = 0.0003}), 0.5);
}

}  // namespace
}  // namespace lowtide::observe
