#include "observe/tree/pss_budget.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lowtide::observe
