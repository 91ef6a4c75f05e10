#include "explain/compare.h"

#include <gtest/gtest.h>

#include <utility>

namespace lowtide::explain {
namespace {

using model::ChangeOutcome;
using model::FindingFate;
using model::VerdictKind;

constexpr double kMegabyte = 1e6;

// 300 steps, from 500 MB on.
model::Report run(VerdictKind kind, double bytes_per_step, double noise = 0) {
  model::Report report;
  report.source.duration_s = 150;
  report.verdict.kind = kind;
  report.verdict.axis = model::Axis::Step;
  report.verdict.samples = 300;
  if (kind == VerdictKind::Leak)
    report.verdict.rate = model::Rate{bytes_per_step, 0.95 * bytes_per_step, 1.05 * bytes_per_step};
  model::SeriesReport series;
  for (int step = 0; step < 300; ++step) {
    const double bytes = 500 * kMegabyte + bytes_per_step * step + (step % 2 == 0 ? noise : -noise);
    series.outline.push_back({.at_s = step / 2.0,
                              .step = static_cast<double>(step),
                              .samples = 1,
                              .low_bytes = static_cast<std::uint64_t>(bytes),
                              .high_bytes = static_cast<std::uint64_t>(bytes),
                              .mean_bytes = bytes});
    series.peak_bytes = std::max(series.peak_bytes, static_cast<std::uint64_t>(bytes));
  }
  series.first_s = 0;
  series.last_s = 150;
  series.first_step = 0;
  series.last_step = 299;
  series.verdict = report.verdict;
  report.runs.push_back({.name = "run", .series = {series}});
  return report;
}

const model::Compared& value_of(const model::Comparison& comparison, const std::string& name) {
  static const model::Compared kNone;
  for (const model::Compared& value : comparison.values) {
    if (value.name == name) return value;
  }
  return kNone;
}

TEST(Compare, leak_that_is_gone_is_better) {
  const auto told = compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Stable, 0));
  EXPECT_EQ(told.outcome, ChangeOutcome::Better);
  EXPECT_EQ(told.reason, "the leak is gone");
  EXPECT_EQ(value_of(told, "growth of the floor").before, kMegabyte);
  EXPECT_EQ(value_of(told, "growth of the floor").after, 0);
  EXPECT_EQ(value_of(told, "floor").differs, true);
  EXPECT_NEAR(*value_of(told, "time of a step").after, 0.5, 0.01);
}

TEST(Compare, two_runs_of_the_same_job_are_the_same) {
  const auto told = compare_reports(run(VerdictKind::Stable, 0, 8 * kMegabyte),
                                    run(VerdictKind::Stable, 20'000, 8 * kMegabyte));
  EXPECT_EQ(told.outcome, ChangeOutcome::Same) << told.reason;
  EXPECT_EQ(value_of(told, "floor").differs, false);
}

TEST(Compare, leak_that_is_slower_still_leaks) {
  const auto told =
      compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Leak, 0.4 * kMegabyte));
  EXPECT_EQ(told.outcome, ChangeOutcome::Better);
  EXPECT_EQ(told.reason, "it still leaks, more slowly than before");
  EXPECT_EQ(
      compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Leak, 1.02 * kMegabyte)).outcome,
      ChangeOutcome::Same);
}

TEST(Compare, new_leak_is_worse_and_an_open_run_is_open) {
  EXPECT_EQ(compare_reports(run(VerdictKind::Stable, 0), run(VerdictKind::Leak, kMegabyte)).outcome,
            ChangeOutcome::Worse);
  EXPECT_EQ(compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Inconclusive, 0)).outcome,
            ChangeOutcome::Open);
}

TEST(Compare, longer_run_is_compared_up_to_the_last_step_of_the_shorter) {
  model::Report shorter = run(VerdictKind::Leak, kMegabyte);
  shorter.runs[0].series[0].outline.resize(100);
  shorter.runs[0].series[0].last_step = 99;
  const auto told = compare_reports(std::move(shorter), run(VerdictKind::Leak, kMegabyte));
  EXPECT_EQ(told.aligned_step, 99);
  EXPECT_EQ(value_of(told, "floor").differs, false);
}

TEST(Compare, findings_are_the_same_though_lines_and_pids_move) {
  model::Finding site;
  site.id = "leaking-site";
  site.severity = model::Severity::High;
  site.title = "train.py:30 leaks";
  site.pid = 1;
  site.where = {.file = "/a/train.py", .line = 30, .function = "step", .holder = {}};
  model::Finding holder;
  holder.id = "holder";
  holder.severity = model::Severity::High;
  holder.title = "main.history keeps";
  holder.pid = 1;
  holder.where.holder = "main.history";
  model::Report before = run(VerdictKind::Leak, kMegabyte);
  before.findings = {site, holder};
  model::Report after = run(VerdictKind::Leak, kMegabyte);
  site.where.line = 33;
  site.pid = 2;
  model::Finding other = holder;
  other.where.holder = "main.cache";
  after.findings = {site, other};
  const auto told = compare_reports(std::move(before), std::move(after));
  ASSERT_EQ(told.findings.size(), 3U);
  EXPECT_EQ(told.findings[0].fate, FindingFate::Gone);
  EXPECT_EQ(told.findings[0].finding.where.holder, "main.history");
  EXPECT_EQ(told.findings[1].fate, FindingFate::Stays);
  EXPECT_EQ(told.findings[1].finding.where.line, 33U);
  EXPECT_EQ(told.findings[2].fate, FindingFate::New);
}

TEST(Compare, reports_without_a_series_can_be_compared) {
  EXPECT_EQ(compare_reports({}, {}).outcome, ChangeOutcome::Open);
}

}  // namespace
}  // namespace lowtide::explain
