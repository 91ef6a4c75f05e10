#include "watch/series_answer.h"

#include <gtest/gtest.h>

#include <optional>

namespace lowtide::watch {
namespace {

show::AnswerWords answer_of(model::VerdictKind kind, std::optional<model::Lean> lean = {}) {
  model::Judgement judgement;
  judgement.verdict.kind = kind;
  judgement.verdict.confidence = 0.9;
  judgement.verdict.lean = lean;
  judgement.verdict.axis = model::Axis::Step;
  judgement.verdict.rate = model::Rate{302'000, 290'000, 310'000};
  judgement.verdict.samples = 100;
  judgement.verdict.spike_bytes = 170'000'000;
  model::Tick tick;
  tick.target.bytes = 377'000'000;
  return series_answer(judgement, tick, 600'000'000);
}

TEST(SeriesAnswer, has_the_words_of_the_report_before_there_is_one) {
  const show::AnswerWords leak = answer_of(model::VerdictKind::Leak);
  EXPECT_EQ(leak.label, "LEAK");
  EXPECT_EQ(leak.verdict, "LEAK, 90% sure");
  EXPECT_EQ(leak.rate, "+302 kB/step");

  const show::AnswerWords spikes = answer_of(model::VerdictKind::Spikes);
  EXPECT_EQ(spikes.subject, "spikes of 170 MB recover, peak 600 MB");
  EXPECT_EQ(spikes.rate, "flat");

  const show::AnswerWords open =
      answer_of(model::VerdictKind::Inconclusive, model::Lean{model::VerdictKind::Warmup, 0.52});
  EXPECT_EQ(open.subject, "377 MB");
  EXPECT_EQ(open.verdict, "may be a warm-up (52%)");
  EXPECT_EQ(answer_of(model::VerdictKind::Inconclusive).verdict, "too early to say");
}

}  // namespace
}  // namespace lowtide::watch
