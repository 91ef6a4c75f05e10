#include "verdict/score.h"

#include <gtest/gtest.h>

namespace lowtide::bench {
namespace {

using model::Axis;
using model::VerdictKind;

Series make_series(VerdictKind kind, std::size_t samples = 100) {
  Series series;
  series.truth.kind = kind;
  series.truth.accept = {kind};
  series.at_s.assign(samples, 0);
  series.step.assign(samples, 0);
  series.rss_mb.assign(samples, 1000);
  return series;
}

Outcome make_outcome(VerdictKind kind, std::optional<double> confidence = std::nullopt) {
  Outcome outcome;
  outcome.last.kind = kind;
  outcome.last.confidence = confidence;
  return outcome;
}

TEST(Score, every_share_is_of_the_right_whole) {
  const std::vector<Series> corpus = {
      make_series(VerdictKind::Leak),   make_series(VerdictKind::Leak),
      make_series(VerdictKind::Leak),   make_series(VerdictKind::Warmup),
      make_series(VerdictKind::Stable), make_series(VerdictKind::Inconclusive)};
  const std::vector<Outcome> outcomes = {
      make_outcome(VerdictKind::Leak),         make_outcome(VerdictKind::Stable),
      make_outcome(VerdictKind::Inconclusive), make_outcome(VerdictKind::Leak),
      make_outcome(VerdictKind::Stable),       make_outcome(VerdictKind::Leak)};

  const FinalScore score = score_last(corpus, outcomes);

  EXPECT_NEAR(score.precision.percent(), 100.0 / 3,
              1e-9);  // an undecidable one called leak counts against it
  EXPECT_NEAR(score.recall.percent(), 100.0 / 3, 1e-9);
  EXPECT_NEAR(score.false_alarms.percent(), 50, 1e-9);
  EXPECT_NEAR(score.missed_as_clear.percent(), 100.0 / 3, 1e-9);
  EXPECT_NEAR(score.leak_on_inconclusive.percent(), 100, 1e-9);
  EXPECT_NEAR(score.strict.percent(), 100.0 / 3, 1e-9);
}

TEST(Score, a_kind_that_is_also_right_counts_only_leniently) {
  std::vector<Series> corpus = {make_series(VerdictKind::Warmup)};
  corpus[0].truth.accept.push_back(VerdictKind::Spikes);
  const std::vector<Outcome> outcomes = {make_outcome(VerdictKind::Spikes)};

  const FinalScore score = score_last(corpus, outcomes);

  EXPECT_EQ(score.strict.hits, 0U);
  EXPECT_EQ(score.lenient.hits, 1U);
}

TEST(Score, the_rate_is_compared_on_the_axis_it_was_given_on) {
  std::vector<Series> corpus = {make_series(VerdictKind::Leak), make_series(VerdictKind::Leak)};
  for (Series& series : corpus) {
    series.truth.leak_mb_per_step = 10;
    series.truth.leak_mb_per_s = 2;
  }
  std::vector<Outcome> outcomes = {make_outcome(VerdictKind::Leak), make_outcome(VerdictKind::Leak)};
  outcomes[0].last.axis = Axis::Step;
  outcomes[0].last.rate_mb = 11;  // off by 10%
  outcomes[1].last.axis = Axis::Time;
  outcomes[1].last.rate_mb = 1.4;  // off by 30%

  const FinalScore score = score_last(corpus, outcomes);

  EXPECT_NEAR(score.rate_error.median, 20, 1e-9);
  EXPECT_NEAR(score.rate_error.mean, 20, 1e-9);
  EXPECT_EQ(score.rate_error.of, 2U);
}

TEST(Score, warmup_end_and_plateau_are_off_by_their_distance) {
  std::vector<Series> corpus = {make_series(VerdictKind::Warmup, 200)};
  corpus[0].truth.warmup_end_idx = 50;
  corpus[0].truth.plateau_mb = 1000;
  std::vector<Outcome> outcomes = {make_outcome(VerdictKind::Warmup)};
  outcomes[0].last.warmup_end_idx = 40;
  outcomes[0].last.plateau_mb = 1010;

  const FinalScore score = score_last(corpus, outcomes);

  EXPECT_NEAR(score.warmup_end_error.median, 5, 1e-9);  // 10 of 200 samples
  EXPECT_NEAR(score.plateau_error.median, 1, 1e-9);
}

TEST(Score, a_leak_is_called_when_it_is_called_for_good) {
  std::vector<Series> corpus = {make_series(VerdictKind::Leak, 120)};
  corpus[0].truth.leak_start_idx = 20;
  std::vector<Outcome> outcomes = {make_outcome(VerdictKind::Leak)};
  outcomes[0].moments = {{.samples = 10, .kind = VerdictKind::Leak},  // before it began
                         {.samples = 30, .kind = VerdictKind::Leak},
                         {.samples = 50, .kind = VerdictKind::Inconclusive},
                         {.samples = 70, .kind = VerdictKind::Leak},
                         {.samples = 120, .kind = VerdictKind::Leak}};

  const LiveScore score = score_live(corpus, outcomes);

  EXPECT_EQ(score.leak_before_onset.hits, 1U);
  EXPECT_EQ(score.delay_samples.median, 50);  // 70 - 20
  EXPECT_EQ(score.delay_share.median, 50);    // of the 100 samples that leak
  EXPECT_EQ(score.changes_median, 2);
}

TEST(Score, an_alarm_on_the_ramp_is_counted_apart) {
  std::vector<Series> corpus = {make_series(VerdictKind::Warmup), make_series(VerdictKind::Warmup),
                                make_series(VerdictKind::Stable)};
  corpus[0].truth.warmup_end_idx = 50;
  corpus[1].truth.warmup_end_idx = 50;
  std::vector<Outcome> outcomes(3, make_outcome(VerdictKind::Warmup));
  outcomes[0].moments = {{.samples = 57, .kind = VerdictKind::Leak},
                         {.samples = 100, .kind = VerdictKind::Warmup}};
  outcomes[1].moments = {{.samples = 58, .kind = VerdictKind::Leak},
                         {.samples = 100, .kind = VerdictKind::Warmup}};
  outcomes[2].moments = {{.samples = 10, .kind = VerdictKind::Stable}};

  const LiveScore score = score_live(corpus, outcomes);

  EXPECT_EQ(score.ever_leak.hits, 2U);
  EXPECT_EQ(score.ever_leak_after_ramp.hits, 1U);  // 57 = 1.1 * 50 + 2 is still the ramp
  EXPECT_EQ(score.ever_leak.of, 3U);
}

TEST(Score, calibration_counts_every_verdict_once) {
  const std::vector<Series> corpus(5, make_series(VerdictKind::Stable));
  const std::vector<Outcome> outcomes = {
      make_outcome(VerdictKind::Stable, 0.949), make_outcome(VerdictKind::Stable, 0.95),
      make_outcome(VerdictKind::Leak, 0.97), make_outcome(VerdictKind::Stable, 1.0),
      make_outcome(VerdictKind::Stable, 0.0)};

  const std::vector<CalibrationBin> bins = calibrate(corpus, outcomes);

  std::size_t all = 0;
  for (const CalibrationBin& bin : bins) all += bin.verdicts;
  EXPECT_EQ(all, 5U);
  EXPECT_EQ(bins.front().verdicts, 1U);
  EXPECT_EQ(bins[4].verdicts, 1U);  // 0.90 to 0.95
  EXPECT_EQ(bins[5].verdicts, 2U);  // 0.95 to 0.99
  EXPECT_EQ(bins[5].right.hits, 1U);
  EXPECT_NEAR(bins[5].mean_confidence, 96, 1e-9);
  EXPECT_EQ(bins[6].verdicts, 1U);
}

TEST(Score, a_method_without_confidence_has_no_calibration) {
  const std::vector<Series> corpus = {make_series(VerdictKind::Stable)};
  const std::vector<Outcome> outcomes = {make_outcome(VerdictKind::Stable)};

  EXPECT_TRUE(calibrate(corpus, outcomes).empty());
}

TEST(Moments, run_from_six_to_the_whole_series) {
  const std::vector<std::size_t> moments = log_spaced_moments(5000);

  EXPECT_EQ(moments.size(), 24U);
  EXPECT_EQ(moments.front(), 6U);
  EXPECT_EQ(moments.back(), 5000U);
  EXPECT_EQ(log_spaced_moments(4), std::vector<std::size_t>{4});
  EXPECT_EQ(log_spaced_moments(8), (std::vector<std::size_t>{6, 7, 8}));  // each only once
}

}  // namespace
}  // namespace lowtide::bench
