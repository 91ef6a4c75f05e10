#include "explain/settle/process_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using testing::HasSubstr;

// A tree that gains 1 MB per second for 100 s.
Evidence rising_tree() {
  Evidence evidence;
  for (int at = 0; at <= 100; ++at) {
    SeriesPoint point;
    point.at_s = at;
    point.low_bytes = 100'000'000 + static_cast<std::uint64_t>(at) * 1'000'000;
    evidence.target.push_back(point);
  }
  evidence.early = {0, 5};
  evidence.late = {95, 100};
  return evidence;
}

WatchedProcess worker(double change_bytes, double confidence) {
  WatchedProcess out;
  out.change_bytes = change_bytes;
  out.there_late = true;
  out.report.info.role = model::ProcessRole::Worker;
  model::Verdict& verdict = out.report.series.verdict;
  verdict.kind = VerdictKind::Leak;
  verdict.confidence = confidence;
  verdict.rate = model::Rate{change_bytes / 95, 0.9 * change_bytes / 95, 1.1 * change_bytes / 95};
  verdict.reason = "`seen` gained 400 items";
  return out;
}

TEST(LeakFromProcess, equal_workers_leak_together) {
  const Evidence tree = rising_tree();
  const std::vector<WatchedProcess> workers{worker(32e6, 0.92), worker(32e6, 0.91), worker(31e6, 0.93)};
  const auto argument = leak_from_process(tree, workers);

  ASSERT_TRUE(argument);
  EXPECT_THAT(argument->reason, HasSubstr("3 processes leak, and together"));
  EXPECT_DOUBLE_EQ(argument->confidence.value_or(0), 0.91) << "as sure as the least sure";
  ASSERT_TRUE(argument->of_process && argument->of_process->rate);
  EXPECT_NEAR(argument->of_process->rate->bytes, 1e6, 1e4) << "the pace of all three";

  model::Verdict series;
  series.kind = VerdictKind::Inconclusive;
  series.lean = model::Lean{VerdictKind::Warmup, 0.83};
  EXPECT_EQ(settle(series, argument).kind, VerdictKind::Leak);
}

TEST(LeakFromProcess, workers_that_leak_little_of_the_growth_do_not_decide) {
  const std::vector<WatchedProcess> workers{worker(16e6, 0.92), worker(16e6, 0.92)};
  EXPECT_FALSE(leak_from_process(rising_tree(), workers));
}

TEST(LeakFromProcess, memory_that_only_moves_between_processes_is_no_leak) {
  const std::vector<WatchedProcess> workers{worker(240e6, 0.92), worker(240e6, 0.92)};
  EXPECT_FALSE(leak_from_process(rising_tree(), workers));
}

}  // namespace
}  // namespace lowtide::explain
