// The recording of a job grows while a thread judges it.
#include "watch/recording_judge.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/testing/temp_folder.h"
#include "explain/testing/scenarios.h"

namespace lowtide::watch {
namespace {

TEST(RecordingJudge, growing_recording_is_judged_until_its_leak_is_found) {
  const explain::Scenario* scenario = explain::find_scenario("site-leak");
  ASSERT_NE(scenario, nullptr);
  const std::string path = base::temp_folder() + "judged.lowtide";
  RecordingJudge judge(path, std::nullopt);
  std::optional<RecordingJudge::Result> last;
  int results = 0;
  const auto take = [&](double now_s) {
    if (auto result = judge.take(now_s)) {
      last = std::move(result);
      ++results;
    }
  };
  double now_s = 0;
  const std::string failure = explain::write_scenario(*scenario, path, [&](const model::Tick& tick) {
    now_s = tick.at_s;
    judge.begin_if_due(now_s, explain::scenario_header().started_unix_s + now_s);
    take(now_s);  // most ticks pass while the thread still works
  });
  ASSERT_EQ(failure, "");
  judge.wait();
  take(now_s);
  judge.begin_if_due(now_s + 1e6, explain::scenario_header().started_unix_s + now_s);
  judge.wait();
  take(now_s);
  EXPECT_GE(results, 2);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->judgement.verdict.kind, model::VerdictKind::Leak);
  EXPECT_TRUE(last->may_leak);
  EXPECT_GT(judge.cost_s(), 0);
}

TEST(RecordingJudge, recording_that_is_not_there_yet_has_no_result) {
  RecordingJudge judge(base::temp_folder() + "not_there.lowtide", std::nullopt);
  judge.begin_if_due(0, 0);
  judge.wait();
  EXPECT_FALSE(judge.take(0));
}

}  // namespace
}  // namespace lowtide::watch
