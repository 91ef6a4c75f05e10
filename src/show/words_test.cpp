#include "show/words.h"

#include <gtest/gtest.h>

#include "show/answer_words.h"

#include <cmath>

namespace lowtide::show {
namespace {

model::SeriesReport leaking(double bytes_per_step, double last_step, std::uint64_t samples) {
  model::SeriesReport series;
  series.verdict.kind = model::VerdictKind::Leak;
  series.verdict.axis = model::Axis::Step;
  series.verdict.samples = samples;
  series.verdict.rate = model::Rate{bytes_per_step, bytes_per_step, bytes_per_step};
  series.first_step = 0;
  series.last_step = last_step;
  return series;
}

TEST(Words, growth_is_per_step) {
  EXPECT_EQ(growth(leaking(165e6, 240, 25)), "165 MB per step");
  EXPECT_EQ(short_growth(leaking(92e3, 300, 301)), "92.0 kB per step");
}

TEST(Words, rate_over_time_has_the_unit_that_fits) {
  model::SeriesReport series = leaking(1e6, 10, 11);
  series.verdict.axis = model::Axis::Time;
  EXPECT_EQ(short_growth(series), "60.0 MB per minute");
  series.verdict.rate->bytes = 1000;
  EXPECT_EQ(short_growth(series), "3.60 MB per hour");
}

TEST(Words, no_confidence_is_a_hundred_percent) {
  EXPECT_EQ(percent(0.97), "97%");
  EXPECT_EQ(percent(0.993), "99%");
  EXPECT_EQ(percent(1.0), ">99%");
}

TEST(Words, warmup_over_time_ended_after_some_minutes) {
  model::SeriesReport series;
  series.verdict.kind = model::VerdictKind::Warmup;
  series.verdict.warmup_end = model::Mark{std::nullopt, 390.0};

  EXPECT_EQ(brief(series), "warmup, ended after 6.5 min");
}

model::Report watched_with_gpu(const model::Verdict& on_gpu, bool gpu_speaks) {
  model::SeriesReport tree;
  tree.name = "the process tree";
  tree.verdict.kind = model::VerdictKind::Stable;
  model::SeriesReport gpu = leaking(4e6, 300, 301);
  gpu.name = "GPU 0 of the job";
  gpu.quantity = model::Quantity::GpuUsed;
  gpu.verdict.kind = on_gpu.kind;
  gpu.verdict.lean = on_gpu.lean;
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.runs.emplace_back();
  report.runs[0].series = gpu_speaks ? std::vector{gpu, tree} : std::vector{tree, gpu};
  return report;
}

TEST(Words, leak_on_a_gpu_is_named_in_the_answer) {
  model::Verdict leak;
  leak.kind = model::VerdictKind::Leak;
  model::Report report = watched_with_gpu(leak, true);
  report.verdict.kind = model::VerdictKind::Leak;
  report.answer.kind = model::AnswerKind::Leak;
  report.answer.rate = 4e6;

  EXPECT_EQ(answer_line(report), "LEAK  GPU 0 of the job, +4.00 MB/step");
}

TEST(Words, lean_of_a_gpu_beside_a_stable_host_is_named_in_the_answer) {
  model::Verdict leaning;
  leaning.lean = model::Lean{model::VerdictKind::Leak, 0.73};
  model::Report report = watched_with_gpu(leaning, false);
  report.answer.kind = model::AnswerKind::Stable;

  EXPECT_EQ(answer_line(report),
            "NO LEAK  in the process tree, but GPU 0 of the job may leak, +4.00 MB/step");
  EXPECT_EQ(find_second(watched_with_gpu({}, false)), nullptr);
}

TEST(Words, verdict_without_its_subject_has_the_words_of_the_first_line) {
  model::Report report;
  EXPECT_EQ(answer_verdict(report), "too early to say");
  report.verdict.lean = model::Lean{model::VerdictKind::Warmup, 0.52};
  report.answer.confidence = 0.52;
  EXPECT_EQ(answer_verdict(report), "may be a warm-up (52%)");
  report.answer.kind = model::AnswerKind::Bounded;
  EXPECT_EQ(answer_verdict(report), "BOUNDED GROWTH, may be a warm-up (52%)");

  model::Verdict leaning;
  leaning.lean = model::Lean{model::VerdictKind::Leak, 0.73};
  report = watched_with_gpu(leaning, false);
  report.verdict.kind = model::VerdictKind::Stable;
  report.answer.kind = model::AnswerKind::Stable;
  EXPECT_EQ(answer_verdict(report), "NO LEAK, but GPU 0 of the job may leak");
  EXPECT_EQ(answer_role(report), Role::Unsure);
}

TEST(Words, job_that_failed_is_named_in_the_answer) {
  model::Report report;
  report.answer.kind = model::AnswerKind::Leak;
  report.exit_status = 7;
  EXPECT_EQ(answer_failure(report), "exit 7");
  report.exit_status = 128 + 15;
  EXPECT_EQ(answer_failure(report), "ended by SIGTERM");

  report.answer.kind = model::AnswerKind::Oom;
  EXPECT_EQ(answer_failure(report), "") << "the answer says it";
  report.answer.kind = model::AnswerKind::Stable;
  report.exit_status = 0;
  EXPECT_EQ(answer_failure(report), "");
}

TEST(Words, sentence_has_a_capital_and_a_full_stop) {
  EXPECT_EQ(sentence("floor rose"), "Floor rose.");
  EXPECT_EQ(sentence(""), "");
}

}  // namespace
}  // namespace lowtide::show
