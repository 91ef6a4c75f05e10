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
  const auto compared = compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Stable, 0));
  EXPECT_EQ(compared.outcome, ChangeOutcome::Better);
  EXPECT_EQ(compared.reason, "the leak is gone");
  EXPECT_EQ(value_of(compared, "growth of the floor").before, kMegabyte);
  EXPECT_EQ(value_of(compared, "growth of the floor").after, 0);
  EXPECT_EQ(value_of(compared, "floor").differs, true);
  EXPECT_NEAR(*value_of(compared, "time per step").after, 0.5, 0.01);
}

TEST(Compare, two_runs_of_the_same_job_are_the_same) {
  const auto compared = compare_reports(run(VerdictKind::Stable, 0, 8 * kMegabyte),
                                        run(VerdictKind::Stable, 20'000, 8 * kMegabyte));
  EXPECT_EQ(compared.outcome, ChangeOutcome::Same) << compared.reason;
  EXPECT_EQ(value_of(compared, "floor").differs, false);
}

TEST(Compare, leak_that_is_slower_still_leaks) {
  const auto compared =
      compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Leak, 0.4 * kMegabyte));
  EXPECT_EQ(compared.outcome, ChangeOutcome::Better);
  EXPECT_EQ(compared.reason, "it still leaks, more slowly than before");
  EXPECT_EQ(
      compare_reports(run(VerdictKind::Leak, kMegabyte), run(VerdictKind::Leak, 1.02 * kMegabyte)).outcome,
      ChangeOutcome::Same);
}

// zoo/03 and zoo/13: both rise, to 340 and to 410 MB. The rise of each within the last fifth is no noise.
TEST(Compare, floors_of_two_leaks_that_differ_by_a_fifth_are_not_the_same) {
  model::Report before = run(VerdictKind::Leak, 0.8 * kMegabyte);
  model::Report after = run(VerdictKind::Leak, 1.06 * kMegabyte);
  for (model::Report* report : {&before, &after}) {
    for (model::Stretch& stretch : report->runs[0].series[0].outline) stretch.low_bytes -= 375'000'000;
  }
  const auto compared = compare_reports(std::move(before), std::move(after));
  EXPECT_NEAR(*value_of(compared, "floor").before, 340e6, 5e6);
  EXPECT_NEAR(*value_of(compared, "floor").after, 410e6, 5e6);
  EXPECT_EQ(value_of(compared, "floor").differs, true);
}

TEST(Compare, noise_of_single_readings_is_averaged_out) {
  const auto flat = [](double above) {
    model::Report report = run(VerdictKind::Stable, 0, 30 * kMegabyte);
    for (model::Stretch& stretch : report.runs[0].series[0].outline)
      stretch.low_bytes += static_cast<std::uint64_t>(above);
    return report;
  };
  EXPECT_EQ(value_of(compare_reports(flat(0), flat(20e6)), "floor").differs, false);
  EXPECT_EQ(value_of(compare_reports(flat(0), flat(80e6)), "floor").differs, true);
}

TEST(Compare, finding_without_a_place_does_not_stay_when_the_program_differs) {
  model::Finding leak;
  leak.id = "leak-in-process";
  leak.severity = model::Severity::High;
  leak.title = "trainer leaks";
  model::Report before = run(VerdictKind::Leak, kMegabyte);
  before.findings = {leak};
  before.source.command = "python -u 03_val_outputs_list.py --steps 300";
  model::Report after = before;
  after.source.command = "python -u 03_val_outputs_list.py --steps 300 --fix";
  EXPECT_EQ(compare_reports(before, after).findings[0].fate, FindingFate::Stays) << "other arguments";
  after.source.command = "python -u 13_native_malloc.py --steps 300";
  const auto compared = compare_reports(before, after);
  ASSERT_EQ(compared.findings.size(), 2U);
  EXPECT_EQ(compared.findings[0].fate, FindingFate::Gone);
  EXPECT_EQ(compared.findings[1].fate, FindingFate::New);
}

TEST(Compare, page_cache_is_no_part_of_the_job) {
  model::Report before = run(VerdictKind::Stable, 0);
  before.reconciliation = model::Reconciliation{.cache_bytes = 1'000'000'000};
  model::Report after = run(VerdictKind::Stable, 0);
  after.reconciliation = model::Reconciliation{.cache_bytes = 1'440'000'000};
  for (const model::Compared& part : compare_reports(before, after).parts) {
    EXPECT_EQ(part.name.find("cache"), std::string::npos) << part.name;
  }
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
  const auto compared = compare_reports(std::move(shorter), run(VerdictKind::Leak, kMegabyte));
  EXPECT_EQ(compared.aligned_step, 99);
  EXPECT_EQ(value_of(compared, "floor").differs, false);
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
  const auto compared = compare_reports(std::move(before), std::move(after));
  ASSERT_EQ(compared.findings.size(), 3U);
  EXPECT_EQ(compared.findings[0].fate, FindingFate::Gone);
  EXPECT_EQ(compared.findings[0].finding.where.holder, "main.history");
  EXPECT_EQ(compared.findings[1].fate, FindingFate::Stays);
  EXPECT_EQ(compared.findings[1].finding.where.line, 33U);
  EXPECT_EQ(compared.findings[2].fate, FindingFate::New);
}

TEST(Compare, reports_without_a_series_can_be_compared) {
  EXPECT_EQ(compare_reports({}, {}).outcome, ChangeOutcome::Open);
}

}  // namespace
}  // namespace lowtide::explain
