#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "show/terminal/text.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ShortReport, total_of_the_processes_is_the_floor_of_the_sentence) {
  const std::string text = to_text(watched_leak_report(), {});

  EXPECT_THAT(text, HasSubstr("\n  1.00 GB → 4.12 GB in "));
  EXPECT_THAT(text, HasSubstr("total     1.00 GB → 4.12 GB"));
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(ShortReport, fits_a_terminal_of_24_rows) {
  for (const model::Report& report : {warmup_report(), leak_report(), spikes_report(), inconclusive_report(),
                                      watched_leak_report(), watched_overhead_report()}) {
    const std::string text = to_text(report, {});
    EXPECT_LE(count_lines(text), 24U) << text;
  }
}

TEST(ShortReport, plot_has_fewer_rows_where_the_evidence_needs_them) {
  model::Report report = watched_leak_report();
  report.processes.resize(1);
  const std::size_t lines = count_lines(to_text(report, {}));
  model::Finding& cause = report.findings.at(report.answer.finding.value());
  cause.evidence = {std::string(75, 'a') + " " + std::string(60, 'b'), "second", "third"};

  EXPECT_LE(count_lines(to_text(report, {})), std::max<std::size_t>(lines, 24));
}

std::string with_needs(const model::Needs& needs, model::Ending ending) {
  model::Report report = inconclusive_report();
  report.verdict.needs = report.runs[0].series[0].verdict.needs = needs;
  report.ending = ending;
  return to_text(report, {.width = 120});
}

TEST(ShortReport, a_closed_run_is_to_be_repeated_for_as_long_as_it_needs) {
  using model::Needs;
  using model::NeedsKind;
  constexpr auto kClosed = model::Ending::Closed;

  EXPECT_THAT(with_needs(Needs{NeedsKind::MoreSteps, 1500}, kClosed),
              HasSubstr("Run it again, about 1,500 steps longer."));
  EXPECT_THAT(with_needs(Needs{NeedsKind::MoreSeconds, 150}, kClosed),
              HasSubstr("Run it again, with about 2.5 min more."));
  EXPECT_THAT(with_needs(Needs{NeedsKind::MoreReadings, 20}, kClosed),
              HasSubstr("Run it again, with about 20 more readings."));
  EXPECT_THAT(with_needs(Needs{NeedsKind::LongerRun}, kClosed), HasSubstr("It needs a longer run."));
  EXPECT_THAT(with_needs(Needs{.words = "about as much luck as possible"}, kClosed),
              HasSubstr("It needs about as much luck as possible."));
  EXPECT_THAT(with_needs(Needs{NeedsKind::MoreSteps, 1500}, model::Ending::Running),
              HasSubstr("It needs about 1,500 more steps."));
}

TEST(ShortReport, the_floor_of_a_sentence_is_that_of_the_memory) {
  model::Report report = inconclusive_report();
  report.verdict.reason = report.runs[0].series[0].verdict.reason = "floor changed by 1 MB";
  for (const bool is_on_floor : {true, false}) {
    report.verdict.is_reason_on_floor = is_on_floor;
    report.runs[0].series[0].verdict.is_reason_on_floor = is_on_floor;
    EXPECT_THAT(to_text(report, {}),
                HasSubstr(is_on_floor ? "The memory floor changed by 1 MB." : "  Floor changed by 1 MB."));
  }
}

TEST(ShortReport, causes_of_which_nothing_is_seen_are_ruled_out) {
  model::Report report = watched_leak_report();
  model::Finding& cause = report.findings.at(report.answer.finding.value());
  cause.excluded = {{"fragmentation", model::Mechanism::AllocatorRetention, 0.002},
                    {"copy-on-write", model::Mechanism::CopyOnWrite, 0.09},
                    {"shared memory", model::Mechanism::SharedMemory, 0},
                    {"3 other processes flat"}};

  EXPECT_THAT(to_text(report, {}), HasSubstr("ruled out  fragmentation, shared memory: 0% of the growth"));
}

TEST(ShortReport, table_is_left_out_where_one_process_has_the_memory) {
  model::Report report = watched_leak_report();
  for (model::ProcessReport& process : report.processes) process.ends = {};
  report.processes.front().ends = report.ends;

  EXPECT_THAT(to_text(report, {}), Not(HasSubstr("early → late")));
}

TEST(ShortReport, processes_that_share_nothing_have_no_row_for_it) {
  model::Report report = watched_leak_report();
  report.processes[1].ends = {report.ends.early_bytes - report.processes[0].ends.early_bytes,
                              report.ends.late_bytes - report.processes[0].ends.late_bytes};

  EXPECT_THAT(to_text(report, {}), HasSubstr("total "));
  EXPECT_THAT(to_text(report, {}), Not(HasSubstr("shared ")));
}

TEST(ShortReport, cache_of_a_function_is_named_as_such) {
  model::Report report = watched_leak_report();
  model::Finding& cause = report.findings.at(report.answer.finding.value());
  model::HolderReport holder;
  holder.pid = cause.pid.value_or(0);
  holder.node.path = "__main__.read_frame";
  holder.node.type = "functools._lru_cache_wrapper";
  holder.node.cache = model::CacheKind::Bounded;
  holder.node.length = 256;
  holder.node.bound = 256;
  report.holders = {holder};
  cause.pid = holder.pid;
  cause.variable = "read_frame";
  cause.where.holder = holder.node.path;

  EXPECT_THAT(to_text(report, {}), HasSubstr("the cache of `read_frame`, 256 of 256 entries"));
}

}  // namespace
}  // namespace lowtide::show
