#include "explain/evidence/reconcile.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr std::uint64_t kBytesOfJob = 500'000'000;
constexpr std::uint64_t kBytesOfShell = 1'000'000;

// One reading per second. A shell starts a job, that ends after `work_s`, and lives on.
Evidence readings_beside_cgroup(int work_s, int last_s) {
  Evidence evidence;
  for (int at_s = 0; at_s <= last_s; ++at_s) {
    const std::uint64_t bytes = kBytesOfShell + (at_s < work_s ? kBytesOfJob : 0);
    evidence.target.push_back({.at_s = static_cast<double>(at_s), .low_bytes = bytes, .high_bytes = bytes});
    evidence.target_moments.push_back({static_cast<double>(at_s), {.bytes = bytes, .exact = true}});
    evidence.cgroup.push_back({static_cast<double>(at_s), {.current_bytes = bytes}});
  }
  set_windows(evidence);
  return evidence;
}

TEST(Reconcile, account_is_taken_while_the_job_lives) {
  const auto sum = reconcile(readings_beside_cgroup(58, 60));

  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->at_s, 57);
  EXPECT_EQ(sum->tree_bytes, kBytesOfShell + kBytesOfJob);
}

TEST(Reconcile, account_of_a_job_that_runs_is_the_latest) {
  const auto sum = reconcile(readings_beside_cgroup(100, 60));

  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->at_s, 60);
}

}  // namespace
}  // namespace lowtide::explain
