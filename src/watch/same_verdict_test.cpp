// The status line, the metrics and the report give one verdict at any moment of a run.

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "base/testing/effort.h"
#include "explain/report.h"
#include "explain/testing/scenarios.h"
#include "record/reader.h"
#include "show/export/openmetrics.h"
#include "show/words.h"
#include "watch/recording_judge.h"
#include "watch/status_line.h"

namespace lowtide::watch {
namespace {

// The second piece is the verdict: "LEAK? 93%".
std::string verdict_in_status(const show::Line& line) {
  return line[1].text;
}

// The same from the report.
std::string label_in_report(const model::Report& report) {
  const model::Verdict& verdict = report.verdict;
  const bool is_settled = verdict.kind != model::VerdictKind::Inconclusive;
  const model::VerdictKind kind = is_settled || !verdict.lean ? verdict.kind : verdict.lean->kind;
  const double confidence = is_settled || !verdict.lean ? verdict.confidence : verdict.lean->confidence;
  if (kind == model::VerdictKind::Inconclusive || (!is_settled && confidence < 0.6))
    return "too early to say";
  if (is_settled) return show::answer_label(report.answer) + " " + show::percent(confidence);
  return (kind == model::VerdictKind::Leak ? "LEAK? " : "NO LEAK? ") + show::percent(confidence);
}

std::string verdict_in_metrics(const std::string& text) {
  for (const char* kind : {"leak", "warmup", "spikes", "stable", "inconclusive"}) {
    if (text.find(std::string("lowtide_verdict{lowtide_verdict=\"") + kind + "\"} 1") != std::string::npos) {
      const bool leans = text.find("lowtide_leak_lean_ratio 0.") != std::string::npos;
      return std::string(kind) + (leans ? ", leaning leak" : "");
    }
  }
  return "none";
}

std::string verdict_in_report(const model::Verdict& verdict) {
  std::string words(model::to_string(verdict.kind));
  const bool leans = verdict.kind == model::VerdictKind::Inconclusive && verdict.lean &&
                     verdict.lean->kind != model::VerdictKind::Inconclusive;
  return leans ? words + ", leaning " + std::string(model::to_string(verdict.lean->kind)) : words;
}

class SameVerdict : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("same_verdict_" + std::to_string(::getpid()) + "_" + GetParam() + ".lowtide");
    TearDown();
  }
  void TearDown() override {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }

  // Everything that a reader can ask, of what is in the file now.
  void compare(const model::Tick& tick) {
    const double now_unix_s = explain::scenario_header().started_unix_s + tick.at_s;
    RecordingJudge judge(path_, std::nullopt);
    judge.begin_if_due(tick.at_s, now_unix_s);
    judge.wait();
    const auto result = judge.take(tick.at_s);
    ASSERT_TRUE(result);
    const model::Judgement& judgement = result->judgement;
    auto recording = record::Recording::open(path_);
    ASSERT_TRUE(recording);
    const model::Report report = explain::make_report(recording.value(), {path_, std::nullopt, now_unix_s});
    EXPECT_EQ(report.ending, model::Ending::Running);

    EXPECT_EQ(verdict_in_status(status_line(judgement, result->answer, tick, 79)), label_in_report(report))
        << "at " << tick.at_s << " s";
    // The metrics know no lean but that to a leak.
    const std::string in_metrics = verdict_in_metrics(show::to_openmetrics(report));
    const bool leans_elsewhere = report.verdict.lean && !model::leans_to_leak(report.verdict);
    EXPECT_EQ(in_metrics, leans_elsewhere ? "inconclusive" : verdict_in_report(report.verdict))
        << "at " << tick.at_s << " s";
    EXPECT_EQ(judgement.verdict.reason, report.verdict.reason);
    EXPECT_DOUBLE_EQ(judgement.verdict.confidence, report.verdict.confidence);
    EXPECT_EQ(judgement.forecast.has_value(), report.forecast.has_value());
    EXPECT_EQ(result->answer.subject, show::answer_subject(report, show::SubjectForm::Short));
    ++compared_;
  }

  std::string path_;
  int compared_ = 0;
};

TEST_P(SameVerdict, at_every_moment_of_the_run) {
  constexpr int kEvery = 25;  // ticks
  constexpr int kMost = base::effort(1000, 4);
  const explain::Scenario* scenario = explain::find_scenario(GetParam());
  ASSERT_NE(scenario, nullptr);
  int ticks = 0;
  const std::string failure = explain::write_scenario(*scenario, path_, [&](const model::Tick& tick) {
    if (++ticks % kEvery == 0 && compared_ < kMost) compare(tick);
  });
  EXPECT_EQ(failure, "");
  EXPECT_GE(compared_, 3);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SameVerdict,
                         testing::Values("wrapper", "warmup", "spikes", "copying", "pile-up", "gpu",
                                         "gpu-lean", "gpu-fragments", "site-leak", "site-cache",
                                         "site-arenas", "site-stairs", "site-worker"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           for (char& letter : name) letter = letter == '-' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace lowtide::watch
