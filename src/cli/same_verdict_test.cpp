// The status line, the screen, the metrics and the report give one verdict at any moment of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/effort.h"
#include "base/testing/temp_folder.h"
#include "cli/testing/said_verdict.h"
#include "explain/testing/scenarios.h"

namespace lowtide::cli {
namespace {

using testing::IsEmpty;

class SameVerdict : public testing::TestWithParam<std::string> {};

TEST_P(SameVerdict, at_every_moment_of_the_run_and_after_it) {
  constexpr int kEvery = 25;  // ticks
  constexpr int kMost = base::effort(1000, 4);
  const explain::Scenario* scenario = explain::find_scenario(GetParam());
  ASSERT_NE(scenario, nullptr);
  const std::string path = base::temp_folder() + GetParam() + ".lowtide";
  int ticks = 0;
  int compared = 0;
  model::Verdict last;
  const std::string failure = explain::write_scenario(*scenario, path, [&](const model::Tick& tick) {
    if (++ticks % kEvery != 0 || compared >= kMost) return;
    ++compared;
    const SaidVerdict said = said_by_all(path, explain::scenario_header().started_unix_s + tick.at_s);
    EXPECT_EQ(said.report.ending, model::Ending::Running);
    EXPECT_THAT(said.disagreements, IsEmpty()) << "at " << tick.at_s << " s";
    last = said.report.verdict;
  });
  EXPECT_EQ(failure, "");
  EXPECT_GE(compared, 3);

  const SaidVerdict said = said_by_all_at_the_end_of(path);
  EXPECT_EQ(said.report.ending, model::Ending::Closed);
  EXPECT_THAT(said.disagreements, IsEmpty());
  if (compared == kMost) return;  // the last comparison was long before the end
  // The end may settle what was open. It does not turn a settled verdict into its opposite.
  const auto is_flat = [](model::VerdictKind kind) {
    return kind != model::VerdictKind::Leak && kind != model::VerdictKind::Inconclusive;
  };
  const model::VerdictKind closed = said.report.verdict.kind;
  EXPECT_FALSE((last.kind == model::VerdictKind::Leak && is_flat(closed)) ||
               (is_flat(last.kind) && closed == model::VerdictKind::Leak))
      << model::to_string(last.kind) << " while it ran, " << model::to_string(closed) << " after it";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SameVerdict,
                         testing::Values("wrapper", "warmup", "spikes", "copying", "copy-on-write", "pile-up",
                                         "respawned", "phase-keeps", "shared-memory",
                                         "unmapped-shared-memory", "filling-tmpfs", "gpu", "gpu-ranks",
                                         "gpu-lean", "gpu-fragments", "site-leak", "site-cache",
                                         "site-arenas", "site-stairs", "site-worker"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           for (char& letter : name) letter = letter == '-' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace lowtide::cli
