#include "show/export/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenMetrics, writes_the_verdict_as_a_state_set) {
  const std::string text = to_openmetrics(watched_leak_report());

  EXPECT_THAT(text, HasSubstr("# TYPE lowtide_verdict stateset\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_verdict{lowtide_verdict=\"leak\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_verdict{lowtide_verdict=\"stable\"} 0\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(PrometheusText, has_only_types_that_the_format_knows) {
  const std::string text = to_prometheus_text(watched_leak_report());

  EXPECT_THAT(text, HasSubstr("# TYPE lowtide_verdict gauge\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_verdict{lowtide_verdict=\"leak\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("stateset")));
  EXPECT_THAT(text, Not(HasSubstr("# UNIT")));
  EXPECT_THAT(text, Not(HasSubstr("# EOF")));
}

TEST(PrometheusText, has_the_values_of_openmetrics) {
  const auto values_of = [](const std::string& text) {
    std::istringstream lines(text);
    std::string values;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#")) values += line + "\n";
    }
    return values;
  };
  const model::Report report = watched_leak_report();

  EXPECT_EQ(values_of(to_prometheus_text(report)), values_of(to_openmetrics(report)));
}

TEST(OpenMetrics, every_value_has_a_type_and_every_metric_is_written_once) {
  for (const auto& report :
       {watched_leak_report(), watched_overhead_report(), warmup_report(), model::Report{}}) {
    std::istringstream text(to_openmetrics(report));
    std::set<std::string> typed;
    std::string current;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("# TYPE ")) {
        current = line.substr(7, line.find(' ', 7) - 7);
        EXPECT_TRUE(typed.insert(current).second) << line;
      } else if (!line.starts_with("#")) {
        EXPECT_EQ(line.substr(0, line.find_first_of("{ ")), current) << line;
      }
    }
    EXPECT_FALSE(typed.empty());
  }
}

TEST(OpenMetrics, cause_is_a_label_that_is_escaped) {
  model::Report report = watched_leak_report();
  report.answer.line = model::CodeLine{.file = "a\\b\"\n.py", .line = 7};
  report.answer.variable = "kept";
  const std::string cause = "lowtide_cause{cause=\"";
  EXPECT_THAT(to_openmetrics(report), HasSubstr(cause + "a\\\\b\\\""));
  EXPECT_THAT(to_openmetrics(report), HasSubstr(".py:7 -> kept\"} 1\n"));

  report.verdict.kind = model::VerdictKind::Stable;
  EXPECT_THAT(to_openmetrics(report), Not(HasSubstr("lowtide_cause")));
}

TEST(OpenMetrics, tmpfs_that_is_full_first_is_the_limit) {
  model::Report report = watched_leak_report();
  report.tmpfs = {{.path = "/dev/shm", .total_bytes = 64, .used_bytes = 48, .job_bytes = 32}};
  report.forecast->limit = model::LimitKind::Tmpfs;
  report.forecast->limit_bytes = 64;

  const std::string text = to_openmetrics(report);
  EXPECT_THAT(text, HasSubstr("lowtide_limit_bytes 64\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_tmpfs_size_bytes{path=\"/dev/shm\"} 64\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_tmpfs_used_bytes{path=\"/dev/shm\"} 48\n"));
  EXPECT_THAT(text, HasSubstr("lowtide_tmpfs_job_bytes{path=\"/dev/shm\"} 32\n"));
}

TEST(OpenMetrics, contains_no_command_and_no_path) {
  model::Report report = watched_leak_report();
  report.tmpfs = {{.path = "/secret", .total_bytes = 1}};
  for (model::ProcessReport& process : report.processes) process.info.command = "secret";
  report.source.command = report.source.path = "secret";
  for (model::GpuReport& gpu : report.gpus) gpu.name = "secret";

  EXPECT_THAT(to_openmetrics(report), Not(HasSubstr("secret")));
  EXPECT_THAT(to_prometheus_text(report), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace lowtide::show
