// Writes the recording of a scenario and makes its report, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/testing/temp_folder.h"
#include "explain/report.h"
#include "explain/testing/scenarios.h"

namespace lowtide::explain {

class ReportFixture : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(base::temp_folder()) / (std::string("lowtide_explain_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  enum class Close { AsPlayed, No };
  std::string record(std::string_view name, Close close = Close::AsPlayed) {
    std::string path = (folder_ / "run.lowtide").string();
    Scenario scenario = *find_scenario(name);
    if (close == Close::No) scenario.close = false;
    const std::string failure = write_scenario(scenario, path);
    EXPECT_EQ(failure, "");
    return path;
  }

  static model::Report report_of(const std::string& path, const ReportOptions& options = {}) {
    auto recording = record::Recording::open(path);
    EXPECT_TRUE(recording.ok()) << (recording.ok() ? "" : recording.error().message);
    return recording.ok() ? make_report(recording.value(), options) : model::Report{};
  }

  std::filesystem::path folder_;
};

inline const model::Finding* find_finding(const model::Report& report, std::string_view id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const model::Finding& finding) { return finding.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

inline const model::ProcessReport* find_pid(const model::Report& report, std::int64_t pid) {
  const auto found =
      std::find_if(report.processes.begin(), report.processes.end(),
                   [&](const model::ProcessReport& process) { return process.info.pid == pid; });
  return found == report.processes.end() ? nullptr : &*found;
}

}  // namespace lowtide::explain
