// What a report says of a trim trial. The recordings are written by the real writer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/testing/temp_folder.h"
#include "explain/report.h"
#include "explain/testing/scenario_stage.h"
#include "record/reader.h"
#include "record/writer.h"

namespace lowtide::explain {
namespace {

using testing::Contains;
using testing::HasSubstr;

class TrimTrialFinding : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // A job of two processes that stand still, and what came of asking their allocators.
  model::Report report_with(const std::vector<model::TrimTrial>& trials) {
    std::filesystem::remove(path_);
    auto writer = record::Writer::create(path_, {});
    EXPECT_TRUE(writer.ok());
    Stage stage(writer.value());
    stage.enter(4711, 1, model::ProcessRole::Trainer, "python train.py");
    stage.enter(4712, 4711, model::ProcessRole::Worker, "python train.py");
    for (int at = 0; at < 100; ++at) {
      stage[0].own = 900 * kMB;
      stage.put(stage.tick(at, at));
    }
    for (const model::TrimTrial& trial : trials) writer.value().add_trim_trial(trial);
    writer.value().close();
    auto recording = record::Recording::open(path_);
    EXPECT_TRUE(recording.ok());
    return make_report(recording.value(), {});
  }

  static const model::Finding* find(const model::Report& report) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [](const model::Finding& each) { return each.id == "trim-trial"; });
    return found == report.findings.end() ? nullptr : &*found;
  }

  std::string path_ = base::temp_folder() + "trim_trial_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".lowtide";
};

model::TrimTrial trial(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  return {.process = model::ProcessId{1},
          .at_s = 100,
          .outcome = model::TrimOutcome::Done,
          .rss_before_bytes = before_bytes,
          .rss_after_bytes = after_bytes,
          .trim_s = 0.012};
}

TEST_F(TrimTrialFinding, released_memory_was_kept_by_the_allocator) {
  model::TrimTrial given = trial(900'000'000, 388'000'000);
  given.inspect_s = 0.01;
  given.arena_bytes = 850'000'000;
  given.free_bytes = 530'000'000;

  const model::Report report = report_with({given});

  const model::Finding* finding = find(report);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("malloc_trim(0) released 512 MB in 12 ms"));
  EXPECT_EQ(finding->mechanism, model::Mechanism::AllocatorRetention);
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("4711")));
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("its arenas had 850 MB, of which 530 MB was free")));
  ASSERT_EQ(report.trim_trials.size(), 1U);
  EXPECT_EQ(report.trim_trials[0].pid, 4711);
}

TEST_F(TrimTrialFinding, little_released_memory_is_no_retention) {
  const model::Report report = report_with({trial(900'000'000, 899'000'000)});

  const model::Finding* finding = find(report);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("released only 1.00 MB"));
  EXPECT_EQ(finding->mechanism, std::nullopt);
  EXPECT_EQ(finding->severity, model::Severity::Info);
}

TEST_F(TrimTrialFinding, memory_that_rose_meanwhile_released_nothing) {
  const model::Report report = report_with({trial(400'000'000, 900'000'000)});

  ASSERT_NE(find(report), nullptr);
  EXPECT_THAT(find(report)->title, HasSubstr("released only 0 B"));
}

TEST_F(TrimTrialFinding, process_without_a_trial_has_a_reason) {
  const model::Report report =
      report_with({{.process = model::ProcessId{1}, .at_s = 1, .outcome = model::TrimOutcome::NoTrim},
                   {.process = model::ProcessId{2}, .at_s = 1, .outcome = model::TrimOutcome::NotReached}});

  const model::Finding* finding = find(report);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "the malloc_trim trial did not run");
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("its allocator has no malloc_trim")));
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("none of its threads allocated in time")));
}

TEST_F(TrimTrialFinding, without_a_trial_nothing_is_said) {
  EXPECT_EQ(find(report_with({})), nullptr);
}

}  // namespace
}  // namespace lowtide::explain
