#include "observe/agents/sampling_rate.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

TEST(SamplingRate, is_the_agents_own_at_first_and_small_later) {
  EXPECT_EQ(samples_per_second({.watched_s = 1}), 0U);
  EXPECT_EQ(samples_per_second({.watched_s = 31}), 200U);
}

TEST(SamplingRate, workers_that_are_started_again_every_epoch_do_not_stay_at_the_full_rate) {
  EXPECT_EQ(samples_per_second({.watched_s = 1, .came_s = 59, .processes = 5}), 0U);
  EXPECT_EQ(samples_per_second({.watched_s = 1, .came_s = 61, .processes = 5}), 200U);
  EXPECT_EQ(samples_per_second({.watched_s = 29, .came_s = 3600, .processes = 5}), 200U);
  EXPECT_EQ(samples_per_second({.watched_s = 31, .came_s = 3600, .processes = 5}), 40U);
}

TEST(SamplingRate, is_shared_by_all_processes_and_never_zero) {
  EXPECT_EQ(samples_per_second({.watched_s = 31, .processes = 8}), 25U);
  EXPECT_EQ(samples_per_second({.watched_s = 31, .processes = 4000}), 5U);
}

TEST(SamplingRate, is_higher_while_growth_rests_on_few_samples) {
  const SamplingNeed need{.watched_s = 31, .grows = true, .new_samples = 100};
  EXPECT_EQ(samples_per_second(need), 1000U);
  SamplingNeed known = need;
  known.new_samples = 400;
  EXPECT_EQ(samples_per_second(known), 200U);
  SamplingNeed unexplained = need;
  unexplained.searched_s = 300;
  EXPECT_EQ(samples_per_second(unexplained), 200U);
}

}  // namespace
}  // namespace lowtide::observe
