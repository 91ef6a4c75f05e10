#include "explain/log/log_analysis.h"

#include <gtest/gtest.h>

#include "model/sample.h"

namespace lowtide::explain {
namespace {

ingest::SeriesInfo named(std::string name, model::Quantity quantity = model::Quantity::ProcessMemory) {
  ingest::SeriesInfo info;
  info.name = std::move(name);
  info.quantity = quantity;
  return info;
}

TEST(LogAnalysis, report_carries_what_arrived) {
  LogAnalysis analysis(std::nullopt);
  analysis.begin_run("run 1", 3);
  const auto series = analysis.begin_series(named("process memory"));
  analysis.add(series, {0.0, 10, 100}, 3);
  analysis.add(series, {5.0, 20, 300}, 4);
  analysis.add(series, {9.0, 30, 200}, 7);
  analysis.event({model::EventKind::Killed, std::nullopt, 8, "Killed"});

  const model::Report report = analysis.finish({}, {});

  ASSERT_EQ(report.runs.size(), 1U);
  EXPECT_EQ(report.runs[0].first_line, 3U);
  EXPECT_EQ(report.runs[0].last_line, 7U);
  EXPECT_EQ(report.runs[0].series[0].peak_bytes, 300U);
  EXPECT_EQ(report.runs[0].series[0].last_bytes, 200U);
  EXPECT_EQ(report.runs[0].series[0].last_step, 30.0);
  EXPECT_EQ(report.source.duration_s, 9.0);
  EXPECT_EQ(report.source.steps, 30U);
  EXPECT_EQ(report.events.size(), 1U);
}

TEST(LogAnalysis, latest_run_speaks_when_none_says_anything) {
  LogAnalysis analysis(std::nullopt);
  for (int run = 0; run < 3; ++run) {
    analysis.begin_run("run", 1);
    analysis.add(analysis.begin_series(named("process memory")), {0.0, 1, 100}, 1);
  }

  EXPECT_EQ(analysis.finish({}, {}).primary_run, 2U);
}

TEST(LogAnalysis, restart_on_every_line_does_not_fill_the_memory) {
  LogAnalysis analysis(std::nullopt);
  for (std::uint64_t line = 1; line <= 3000; ++line) {
    analysis.begin_run("run", line);
    analysis.add(analysis.begin_series(named("process memory")), {0.0, 1, 100}, line);
  }

  const model::Report report = analysis.finish({}, {});

  EXPECT_EQ(report.runs.size(), LogAnalysis::kMostRuns);
  EXPECT_EQ(report.runs.back().last_line, 3000U);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].count, 2500U);
}

TEST(LogAnalysis, series_and_events_beyond_the_bound_are_left_out_with_a_warning) {
  LogAnalysis analysis(std::nullopt);
  analysis.begin_run("run", 1);
  for (std::size_t at = 0; at < LogAnalysis::kMostSeries + 5; ++at) {
    analysis.add(analysis.begin_series(named("pid")), {0.0, 1, 100}, 1);
  }
  for (std::size_t at = 0; at < LogAnalysis::kMostEvents + 7; ++at)
    analysis.event({model::EventKind::Killed, std::nullopt, at, ""});

  const model::Report report = analysis.finish({}, {});

  EXPECT_EQ(report.runs[0].series.size(), LogAnalysis::kMostSeries);
  EXPECT_EQ(report.events.size(), LogAnalysis::kMostEvents);
  EXPECT_EQ(report.events.front().line, 0U);
  EXPECT_EQ(report.events.back().line, LogAnalysis::kMostEvents + 6);
  EXPECT_EQ(report.events_left_out, 7U);
  ASSERT_EQ(report.warnings.size(), 2U);
  EXPECT_EQ(report.warnings[0].count, 5U);
  EXPECT_EQ(report.warnings[1].count, 7U);
}

TEST(LogAnalysis, limit_of_the_user_goes_before_that_of_the_log) {
  for (const bool by_user : {true, false}) {
    LogAnalysis analysis(by_user ? std::optional<std::uint64_t>(500) : std::nullopt);
    analysis.begin_run("run", 1);
    analysis.add(analysis.begin_series(named("process memory")), {0.0, 1, 100}, 1);
    auto system = named("system memory", model::Quantity::SystemMemory);
    system.limit_bytes = 9000;
    analysis.add(analysis.begin_series(system), {0.0, 1, 100}, 1);

    const model::Report report = analysis.finish({}, {});

    ASSERT_TRUE(report.limit.has_value());
    EXPECT_EQ(report.limit->bytes, by_user ? 500U : 9000U);
    EXPECT_EQ(report.limit->told_by_log, !by_user);
  }
}

TEST(LogAnalysis, events_without_readings_are_inconclusive) {
  LogAnalysis analysis(std::nullopt);
  analysis.event({model::EventKind::OomKill, std::nullopt, 1, "oom-kill"});

  const model::Report report = analysis.finish({}, {});

  EXPECT_EQ(report.verdict.kind, model::VerdictKind::Inconclusive);
  EXPECT_TRUE(report.verdict.needs.has_value());
}

}  // namespace
}  // namespace lowtide::explain
