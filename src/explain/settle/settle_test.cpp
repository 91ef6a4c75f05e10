#include "explain/settle/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using testing::ElementsAre;

model::Verdict rising_verdict(std::optional<VerdictKind> lean = VerdictKind::Leak) {
  model::Verdict verdict;
  verdict.reason = "rises";
  verdict.needs = model::Needs{model::NeedsKind::LongerRun};
  verdict.confidence = 0.7;
  verdict.plateau_bytes = 7;
  verdict.warmup_end = model::Mark{};
  if (lean) verdict.lean = model::Lean{*lean, 0.7};
  return verdict;
}

Argument argue(ArgumentKind rule, std::int64_t source_pid = 0) {
  return {.rule = rule, .reason = "because", .source_pid = source_pid};
}

TEST(Settle, without_an_argument_the_series_stands) {
  const model::Verdict verdict = settle(rising_verdict(), std::vector<Argument>{});
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(verdict.reason, "rises");
  EXPECT_THAT(verdict.basis, ElementsAre("series"));
}

TEST(Settle, while_the_run_goes_on_a_leak_of_the_series_alone_stays_open_and_evidence_settles_it) {
  Argument goes_on{.rule = ArgumentKind::RunGoesOn, .needs = model::Needs{model::NeedsKind::LongerRun}};
  model::Verdict series = rising_verdict(std::nullopt);
  series.kind = VerdictKind::Leak;

  const model::Verdict open = settle(series, goes_on);
  EXPECT_EQ(open.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(open.lean->kind, VerdictKind::Leak);
  EXPECT_DOUBLE_EQ(open.lean->confidence, 0.7);
  EXPECT_DOUBLE_EQ(open.confidence, 1 - 0.7);
  EXPECT_EQ(open.needs->kind, model::NeedsKind::LongerRun);
  EXPECT_EQ(open.reason, "rises");
  EXPECT_THAT(open.basis, ElementsAre("series"));

  const std::vector<Argument> arguments{argue(ArgumentKind::Sites), goes_on};
  EXPECT_EQ(settle(series, arguments).kind, VerdictKind::Leak);
}

TEST(Settle, lean_of_a_run_that_goes_on_stays_and_needs_more) {
  const Argument goes_on{.rule = ArgumentKind::RunGoesOn, .needs = model::Needs{model::NeedsKind::LongerRun}};
  const model::Verdict verdict = settle(rising_verdict(), goes_on);
  EXPECT_DOUBLE_EQ(verdict.lean->confidence, 0.7);
  EXPECT_DOUBLE_EQ(verdict.confidence, 0.7);
  EXPECT_EQ(verdict.needs->kind, model::NeedsKind::LongerRun);
}

TEST(Settle, every_leak_takes_back_what_the_open_verdict_said) {
  for (const ArgumentKind rule :
       {ArgumentKind::ProcessCount, ArgumentKind::Sites, ArgumentKind::LeakingProcess,
        ArgumentKind::CopyOnWrite, ArgumentKind::HolderKeeps, ArgumentKind::DeviceHolderKeeps}) {
    Argument argument = argue(rule);
    argument.of_process = model::Verdict{};
    const model::Verdict verdict = settle(rising_verdict(), argument);
    EXPECT_EQ(verdict.kind, VerdictKind::Leak);
    EXPECT_EQ(verdict.reason, "because");
    EXPECT_FALSE(verdict.lean || verdict.needs || verdict.warmup_end || verdict.plateau_bytes);
    EXPECT_EQ(verdict.basis.size(), 2U);
  }
}

TEST(Settle, no_argument_for_a_leak_overrules_a_verdict_that_is_closed) {
  for (const ArgumentKind rule :
       {ArgumentKind::ProcessCount, ArgumentKind::Sites, ArgumentKind::LeakingProcess,
        ArgumentKind::CopyOnWrite, ArgumentKind::HolderKeeps, ArgumentKind::DeviceHolderKeeps}) {
    model::Verdict warmup = rising_verdict();
    warmup.kind = VerdictKind::Warmup;
    EXPECT_EQ(settle(warmup, argue(rule)).kind, VerdictKind::Warmup);
  }
}

TEST(Settle, of_a_stage_the_first_of_the_table_counts_in_whatever_order_they_are_given) {
  const std::vector<Argument> arguments{argue(ArgumentKind::CopyOnWrite), argue(ArgumentKind::Sites),
                                        argue(ArgumentKind::Retention)};
  EXPECT_THAT(settle(rising_verdict(), arguments).basis, ElementsAre("series", "sites"));
}

TEST(Settle, evidence_that_clears_the_lean_leaves_the_rest_of_its_stage_unheard) {
  const std::vector<Argument> arguments{argue(ArgumentKind::Retention), argue(ArgumentKind::LeakingProcess)};
  const model::Verdict verdict = settle(rising_verdict(), arguments);
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_FALSE(verdict.lean);
  EXPECT_EQ(verdict.reason, "risesbecause");
}

TEST(Settle, cache_that_is_filling_takes_back_a_leak_that_sites_show) {
  const std::vector<Argument> arguments{argue(ArgumentKind::CacheStillFilling, 7),
                                        argue(ArgumentKind::Sites)};
  const model::Verdict verdict = settle(rising_verdict(), arguments);
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(verdict.lean->kind, VerdictKind::Warmup);
  EXPECT_DOUBLE_EQ(verdict.lean->confidence, 0.8);
}

TEST(Settle, of_the_variables_of_one_process_the_first_counts) {
  const std::vector<Argument> arguments{argue(ArgumentKind::HolderKeeps, 7),
                                        argue(ArgumentKind::CacheStillFilling, 7)};
  EXPECT_EQ(settle(rising_verdict(), arguments).kind, VerdictKind::Leak);
}

TEST(Settle, sites_give_way_to_a_lean_to_a_warmup_unless_they_are_plain) {
  Argument sites = argue(ArgumentKind::Sites);
  EXPECT_EQ(settle(rising_verdict(VerdictKind::Warmup), sites).kind, VerdictKind::Leak);
  sites.beats_warmup = false;
  EXPECT_EQ(settle(rising_verdict(VerdictKind::Warmup), sites).kind, VerdictKind::Inconclusive);
  EXPECT_EQ(settle(rising_verdict(VerdictKind::Leak), sites).kind, VerdictKind::Leak);
  EXPECT_EQ(settle(rising_verdict(VerdictKind::Stable), sites).kind, VerdictKind::Inconclusive);
}

TEST(Settle, notes_about_other_series_change_the_reason_alone) {
  const std::vector<Argument> arguments{argue(ArgumentKind::OtherSeries), argue(ArgumentKind::OtherSeries)};
  const model::Verdict verdict = settle(rising_verdict(), arguments);
  EXPECT_EQ(verdict.reason, "risesbecausebecause");
  EXPECT_TRUE(verdict.lean);
  EXPECT_THAT(verdict.basis, ElementsAre("series"));
}

}  // namespace
}  // namespace lowtide::explain
