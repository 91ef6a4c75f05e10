// Holds the verdicts that more than a series decides (explain/settle) to what they say of themselves.
#include <gtest/gtest.h>

#include "base/testing/temp_folder.h"
#include "verdict/binomial.h"
#include "verdict/settled_score.h"

namespace lowtide::bench {
namespace {

constexpr std::uint64_t kSeed = 20261117;  // nobody has tuned on it; `./dev bench verdict` has another
constexpr std::size_t kJobs = 1500;

TEST(SettledVerdicts, are_right_as_often_as_they_say) {
  const auto jobs = judge_jobs(kSeed, kJobs, base::temp_folder());
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  const std::string table = settled_table(jobs.value());

  const Tally all = settled_right(jobs.value(), 0);
  const Tally sure = settled_right(jobs.value(), 0.95);

  EXPECT_GE(all.of, 300U) << table;
  EXPECT_FALSE(falls_short(all, 100 * mean_settled_confidence(jobs.value()))) << table;
  EXPECT_FALSE(falls_short(sure, 95)) << table;
}

}  // namespace
}  // namespace lowtide::bench
