#include "observe/tree/recent_pids.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

TEST(RecentPids, same_newest_pid_means_that_nobody_came) {
  RecentPids pids;

  EXPECT_TRUE(pids.note(100));
  EXPECT_FALSE(pids.note(100));
  EXPECT_TRUE(pids.note(101));
}

TEST(RecentPids, only_numbers_in_between_can_be_others_now) {
  RecentPids pids;
  pids.note(100);
  pids.note(105);

  EXPECT_FALSE(pids.may_include(100));
  EXPECT_TRUE(pids.may_include(101));
  EXPECT_TRUE(pids.may_include(105));
  EXPECT_FALSE(pids.may_include(106));
}

TEST(RecentPids, counter_that_began_again_covers_both_ends) {
  RecentPids pids;
  pids.note(32'000);
  pids.note(310);

  EXPECT_TRUE(pids.may_include(32'700));
  EXPECT_TRUE(pids.may_include(305));
  EXPECT_FALSE(pids.may_include(311));
  EXPECT_FALSE(pids.may_include(32'000));
}

TEST(RecentPids, unknown_newest_pid_means_anybody_may_have_come) {
  RecentPids pids;

  EXPECT_TRUE(pids.note(-1));
  EXPECT_TRUE(pids.may_include(7));
  EXPECT_TRUE(pids.note(-1));
  pids.note(100);
  EXPECT_TRUE(pids.may_include(7));
}

}  // namespace
}  // namespace lowtide::observe
