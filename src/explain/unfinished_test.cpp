// Reports of recordings that have no end: the job still runs, the monitor was killed, or the file was cut.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "explain/report.h"
#include "explain/testing/report_fixture.h"
#include "explain/testing/scenarios.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using Unfinished = ReportFixture;

TEST_F(Unfinished, recording_without_its_end_says_so_and_keeps_its_verdict) {
  const model::Report report = report_of(record("cut-off"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(report.ending, model::Ending::CutOff);
  EXPECT_NE(find_finding(report, "recording-cut-off"), nullptr);
}

TEST_F(Unfinished, recording_that_is_still_being_written_is_not_cut_off) {
  const std::string path = record("cut-off");
  const double last_unix_s = scenario_header().started_unix_s + 599;

  const model::Report now = report_of(path, {.path = "", .limit_bytes = {}, .now_unix_s = last_unix_s + 1});
  const model::Report later =
      report_of(path, {.path = "", .limit_bytes = {}, .now_unix_s = last_unix_s + 3600});

  EXPECT_EQ(now.ending, model::Ending::Running);
  EXPECT_EQ(find_finding(now, "recording-cut-off"), nullptr);
  EXPECT_EQ(later.ending, model::Ending::CutOff);
}

TEST_F(Unfinished, cause_of_a_leak_is_critical_where_the_job_is_killed_within_the_hour) {
  const std::string path = record("site-leak", Close::No);
  const double now_unix_s = scenario_header().started_unix_s + 76;
  const auto gravest = [&](std::uint64_t limit_bytes) {
    const model::Report report =
        report_of(path, {.path = "", .limit_bytes = limit_bytes, .now_unix_s = now_unix_s});
    EXPECT_EQ(report.ending, model::Ending::Running);
    const model::Finding* leak = find_finding(report, "leaking-site");
    return leak == nullptr ? model::Severity::Info : leak->severity;
  };

  EXPECT_EQ(gravest(4'000'000'000), model::Severity::Critical);
  EXPECT_EQ(gravest(4'000'000'000'000), model::Severity::High);
}

TEST_F(Unfinished, series_alone_must_show_more_to_be_called_a_leak_while_the_run_goes_on) {
  const std::string path = record("cut-off");
  const double now_unix_s = scenario_header().started_unix_s + 600;

  const model::Report running = report_of(path, {.path = "", .now_unix_s = now_unix_s});
  EXPECT_EQ(running.ending, model::Ending::Running);
  EXPECT_TRUE(model::leans_to_leak(running.verdict));
  EXPECT_EQ(report_of(path).verdict.kind, VerdictKind::Leak);
}

TEST_F(Unfinished, truncated_file_is_an_error_or_what_is_left_of_it_never_a_crash) {
  const std::string path = record("wrapper");
  const auto size = std::filesystem::file_size(path);

  for (const std::uintmax_t part :
       {size - 1, size / 2, size / 10, std::uintmax_t{4096}, std::uintmax_t{100}}) {
    std::filesystem::resize_file(path, std::min(part, std::filesystem::file_size(path)));
    auto recording = record::Recording::open(path);
    if (!recording) {
      EXPECT_FALSE(recording.error().message.empty());
      continue;
    }
    const model::Report report = make_report(recording.value(), {});
    EXPECT_TRUE(!report.warnings.empty() || report.ending == model::Ending::CutOff ||
                report.verdict.kind == VerdictKind::Leak);
  }
}

}  // namespace
}  // namespace lowtide::explain
