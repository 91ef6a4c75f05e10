#include "explain/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::Outcome;
using model::Rule;
using model::RuleKind;
using model::VerdictKind;
using testing::HasSubstr;

constexpr std::uint64_t kGateMB = 1'000'000;

// 100 readings, one per step; the floor rises from 1 GB by `growth_bytes`.
model::Report report_of(VerdictKind kind, std::uint64_t growth_bytes, double rate_bytes) {
  model::SeriesReport series;
  series.first_s = series.first_step = 0.0;
  series.last_s = 50.0;  // two steps per second
  series.last_step = 100.0;
  series.verdict.kind = kind;
  series.verdict.axis = model::Axis::Step;
  series.verdict.samples = 100;
  series.verdict.reason = "as given";
  series.verdict.floor = {1000 * kGateMB, 1000 * kGateMB + growth_bytes};
  series.verdict.rate = model::Rate{rate_bytes, rate_bytes * 0.9, rate_bytes * 1.1};
  series.peak_bytes = 1500 * kGateMB + growth_bytes;
  for (int step = 0; step < 100; ++step) {
    const auto bytes = 1000 * kGateMB + static_cast<std::uint64_t>(step) * growth_bytes / 100;
    series.outline.push_back(
        {step / 2.0, static_cast<double>(step), 1, bytes, bytes, static_cast<double>(bytes)});
  }
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.verdict = series.verdict;
  report.ending = model::Ending::Closed;
  report.runs.push_back({"run", 0, 0, {series}});
  return report;
}

Rule rule_of(RuleKind kind, std::uint64_t bytes = 0) {
  Rule rule;
  rule.kind = kind;
  rule.bytes = bytes;
  return rule;
}

Outcome outcome_of(const model::Report& report, const Rule& rule) {
  return check_rules(report, {rule}).outcome();
}

TEST(Gate, without_a_rule_a_leak_breaks_and_doubt_is_undecided) {
  EXPECT_EQ(check_rules(report_of(VerdictKind::Leak, 0, 0), {}).outcome(), Outcome::Broken);
  EXPECT_EQ(check_rules(report_of(VerdictKind::Inconclusive, 0, 0), {}).outcome(), Outcome::Undecided);
  EXPECT_EQ(check_rules(report_of(VerdictKind::Warmup, 0, 0), {}).outcome(), Outcome::Kept);
}

TEST(Gate, budget_is_held_against_the_peak) {
  const model::Report report = report_of(VerdictKind::Stable, 0, 0);

  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::Budget, 1500 * kGateMB)), Outcome::Kept);
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::Budget, 1499 * kGateMB)), Outcome::Broken);
}

TEST(Gate, sizes_are_answered_in_the_unit_that_was_given) {
  const model::Report report = report_of(VerdictKind::Leak, 100 * kGateMB, 5e6);
  const auto why = [&](RuleKind kind, const std::string& words, std::uint64_t bytes) {
    Rule rule = rule_of(kind, bytes);
    rule.words = words;
    return check_rules(report, {rule}).results[0].why;
  };
  EXPECT_EQ(why(RuleKind::Budget, "--budget 200M", 200ULL << 20U),
            "the peak of the process tree was 1.49 GiB (1.60 GB), the budget is 200 MiB");
  EXPECT_EQ(why(RuleKind::Budget, "--budget 20GiB", 20ULL << 30U),
            "the peak of the process tree was 1.49 GiB (1.60 GB), the budget is 20 GiB");
  EXPECT_EQ(why(RuleKind::Budget, "--budget 1.5G", 1536ULL << 20U),
            "the peak of the process tree was 1.49 GiB (1.60 GB), the budget is 1.5 GiB");
  EXPECT_EQ(why(RuleKind::Budget, "--budget 200MB", 200 * kGateMB),
            "the peak of the process tree was 1.60 GB, the budget is 200 MB");
  EXPECT_EQ(why(RuleKind::MaxGrowth, "--max-growth 20M --after-warmup", 20ULL << 20U),
            "the floor grew by 95.4 MiB (100 MB), the limit is 20 MiB");
  EXPECT_EQ(why(RuleKind::MaxGrowth, "--max-growth 0MB", 0), "the floor grew by 100 MB, the limit is 0 B");
}

TEST(Gate, rate_is_answered_in_the_unit_that_was_given) {
  Rule rule = rule_of(RuleKind::MaxRate);
  rule.words = "--max-rate 1M/step";
  rule.rate_bytes = 1 << 20U;
  const model::Report report = report_of(VerdictKind::Leak, 500 * kGateMB, 5e6);
  EXPECT_EQ(
      check_rules(report, {rule}).results[0].why,
      "the floor rises by 4.77 MiB (5.00 MB) per step (4.50 MB to 5.50 MB), the limit is 1 MiB per step");
  rule.words = "--max-rate 1MB/step";
  rule.rate_bytes = 1e6;
  EXPECT_EQ(check_rules(report, {rule}).results[0].why,
            "the floor rises by 5.00 MB per step (4.50 MB to 5.50 MB), the limit is 1.00 MB per step");
}

TEST(Gate, a_leak_within_the_budget_keeps_it_when_only_the_budget_is_asked_for) {
  EXPECT_EQ(
      outcome_of(report_of(VerdictKind::Leak, 10 * kGateMB, 1e5), rule_of(RuleKind::Budget, 2000 * kGateMB)),
      Outcome::Kept);
}

TEST(Gate, growth_in_the_warm_up_counts_unless_it_is_left_out) {
  model::Report report = report_of(VerdictKind::Warmup, 500 * kGateMB, 1e6);
  model::SeriesReport& series = report.runs[0].series[0];
  series.verdict.warmup_end = model::Mark{50.0, 25.0};
  for (std::size_t at = 50; at < series.outline.size(); ++at) series.outline[at].low_bytes = 1250 * kGateMB;
  Rule rule = rule_of(RuleKind::MaxGrowth, 100 * kGateMB);

  EXPECT_EQ(outcome_of(report, rule), Outcome::Broken);
  rule.after_warmup = true;
  EXPECT_EQ(outcome_of(report, rule), Outcome::Kept);
}

TEST(Gate, growth_after_a_warm_up_that_may_not_have_ended_is_undecided) {
  Rule rule = rule_of(RuleKind::MaxGrowth, 100 * kGateMB);
  rule.after_warmup = true;

  EXPECT_EQ(outcome_of(report_of(VerdictKind::Inconclusive, 500 * kGateMB, 5e6), rule), Outcome::Undecided);
  EXPECT_EQ(outcome_of(report_of(VerdictKind::Inconclusive, 50 * kGateMB, 5e5), rule), Outcome::Kept);
  EXPECT_EQ(outcome_of(report_of(VerdictKind::Leak, 500 * kGateMB, 5e6), rule), Outcome::Broken);
}

TEST(Gate, rate_is_per_step_or_per_second) {
  const model::Report report = report_of(VerdictKind::Leak, 500 * kGateMB, 5e6);
  Rule rule = rule_of(RuleKind::MaxRate);
  rule.rate_bytes = 6e6;

  EXPECT_EQ(outcome_of(report, rule), Outcome::Kept);
  rule.per = model::RatePer::Second;  // 5 MB per step are 10 MB per second
  EXPECT_EQ(outcome_of(report, rule), Outcome::Broken);
  rule.rate_bytes = 12e6;
  EXPECT_EQ(outcome_of(report, rule), Outcome::Kept);
}

TEST(Gate, rate_of_a_warm_up_is_over) {
  Rule rule = rule_of(RuleKind::MaxRate);
  rule.rate_bytes = 1e6;

  EXPECT_EQ(outcome_of(report_of(VerdictKind::Warmup, 500 * kGateMB, 5e6), rule), Outcome::Kept);
  EXPECT_EQ(outcome_of(report_of(VerdictKind::Inconclusive, 500 * kGateMB, 5e6), rule), Outcome::Undecided);
}

TEST(Gate, rate_per_step_of_a_run_without_steps_is_undecided) {
  model::Report report = report_of(VerdictKind::Leak, 500 * kGateMB, 5e6);
  report.runs[0].series[0].verdict.axis = model::Axis::Time;
  report.runs[0].series[0].first_step.reset();
  Rule rule = rule_of(RuleKind::MaxRate);
  rule.rate_bytes = 1e6;

  const model::Gate gate = check_rules(report, {rule});

  EXPECT_EQ(gate.outcome(), Outcome::Undecided);
  EXPECT_THAT(gate.results[0].why, HasSubstr("no steps"));
}

TEST(Gate, oom_kill_breaks_and_a_recording_without_an_end_cannot_say) {
  model::Report report = report_of(VerdictKind::Stable, 0, 0);
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoOom)), Outcome::Kept);

  report.ending = model::Ending::CutOff;
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoOom)), Outcome::Undecided);

  report.events.push_back({model::EventKind::OomKill, 5.0, 0, "killed"});
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoOom)), Outcome::Broken);
}

TEST(Gate, full_gpu_that_the_job_survived_breaks_nothing) {
  model::Report report = report_of(VerdictKind::Stable, 0, 0);
  report.events.push_back({model::EventKind::CudaOom, 5.0, 0, "torch wanted 1 GB"});
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoOom)), Outcome::Kept);

  report.processes.emplace_back();
  report.processes.back().info.exit_status = 1;
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoOom)), Outcome::Broken);
}

TEST(Gate, without_rules_a_flat_job_that_ran_out_of_memory_fails) {
  model::Report report = report_of(VerdictKind::Stable, 0, 0);
  EXPECT_EQ(outcome_of(report, rule_of(RuleKind::NoLeak)), Outcome::Kept);
  report.events.push_back({model::EventKind::OomKill, 5.0, 0, "killed"});
  const model::Gate gate = check_rules(report, {});
  EXPECT_EQ(gate.outcome(), Outcome::Broken);
  EXPECT_EQ(gate.results[0].why, "the job ran out of memory: oom-kill: killed");
}

TEST(Gate, expectation_is_kept_by_its_kind_alone) {
  const Rule rule = rule_of(RuleKind::Expect);  // a warm-up

  EXPECT_EQ(outcome_of(report_of(VerdictKind::Warmup, 0, 0), rule), Outcome::Kept);
  EXPECT_EQ(outcome_of(report_of(VerdictKind::Stable, 0, 0), rule), Outcome::Broken);
  EXPECT_EQ(outcome_of(report_of(VerdictKind::Inconclusive, 0, 0), rule), Outcome::Undecided);
}

TEST(Gate, broken_beats_undecided_and_every_rule_has_a_result) {
  const model::Report report = report_of(VerdictKind::Inconclusive, 0, 0);

  const model::Gate gate = check_rules(report, {rule_of(RuleKind::Expect), rule_of(RuleKind::Budget, 1)});

  EXPECT_EQ(gate.outcome(), Outcome::Broken);
  EXPECT_EQ(gate.results.size(), 2U);
}

TEST(Gate, empty_report_decides_nothing) {
  EXPECT_EQ(outcome_of({}, rule_of(RuleKind::Budget, 1)), Outcome::Undecided);
  EXPECT_EQ(check_rules({}, {}).outcome(), Outcome::Undecided);
}

}  // namespace
}  // namespace lowtide::explain
