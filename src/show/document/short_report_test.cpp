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
