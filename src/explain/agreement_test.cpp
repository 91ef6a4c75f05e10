// The numbers of one report agree: what a sentence states can be computed from the fields that JSON prints.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/units.h"
#include "explain/report.h"
#include "explain/testing/report_fixture.h"
#include "explain/testing/scenarios.h"

namespace lowtide::explain {
namespace {

// Those with several processes, a limit, or pages that move from one process to another.
constexpr std::array<std::string_view, 5> kScenarios = {"wrapper", "oom", "shared-memory", "copying",
                                                        "leak-beside-workers-that-end"};

class Agreement : public ReportFixture {
 protected:
  model::Report report_of_scenario(std::string_view name) {
    model::Report report = report_of(record(name));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    return report;
  }
};

std::string size(std::uint64_t bytes) {
  return base::format_bytes(static_cast<double>(bytes));
}

TEST_F(Agreement, evidence_of_a_process_has_the_numbers_of_the_table) {
  std::ptrdiff_t stated = 0;
  std::size_t checked = 0;
  for (const std::string_view name : kScenarios) {
    const model::Report report = report_of_scenario(name);
    const model::Finding* finding = find_finding(report, "leak-in-process");
    if (finding == nullptr || report.processes.size() < 2) continue;
    for (const model::ProcessReport& process : report.processes) {
      if (process.info.pid != finding->pid || process.ends.early_bytes == 0) continue;
      const std::string expected = fmt::format("its private memory grew from {} to {}",
                                               size(process.ends.early_bytes), size(process.ends.late_bytes));
      stated += std::count_if(finding->evidence.begin(), finding->evidence.end(),
                              [&](const std::string& text) { return text.starts_with(expected); });
      ++checked;
    }
  }
  EXPECT_GE(checked, 2U);
  EXPECT_GE(stated, 1);
}

TEST_F(Agreement, forecast_is_computed_from_the_memory_that_it_states) {
  std::size_t checked = 0;
  for (const std::string_view name : kScenarios) {
    const model::Report report = report_of_scenario(name);
    if (!report.forecast || !report.forecast->step || !report.verdict.rate || report.verdict.spikes > 0)
      continue;
    const model::Forecast& forecast = *report.forecast;
    const std::uint64_t reach = forecast.reach_bytes.value_or(forecast.limit_bytes);
    EXPECT_LE(reach, forecast.limit_bytes) << name;
    const model::SeriesReport& series = report.runs.at(report.primary_run).series.front();
    if (!series.last_step || series.verdict.axis != model::Axis::Step) continue;
    const double left = static_cast<double>(reach) - static_cast<double>(report.verdict.floor.last_bytes);
    const double steps = forecast.step->estimate - *series.last_step;
    // The floor of the verdict is the lowest reading of the last fortieth.
    const double lag = (*series.last_step - series.first_step.value_or(0)) / 40;
    EXPECT_NEAR(left / report.verdict.rate->bytes, steps, 0.1 * steps + lag) << name;
    ++checked;
  }
  EXPECT_GE(checked, 1U);
}

}  // namespace
}  // namespace lowtide::explain
