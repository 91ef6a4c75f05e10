#include "judge/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

namespace lowtide::judge {
namespace {

using model::kUnknown;
using model::VerdictKind;

constexpr double kMB = 1e6;
constexpr double kGB = 1e9;

// `samples` readings, one every ten steps and every 4 s, with half a percent of noise.
Detector judged(int samples, const std::function<double(int)>& bytes_at, double noise = 0.001) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> shake(1.0, noise);
  Detector detector;
  for (int at = 0; at < samples; ++at) {
    const double bytes = bytes_at(at) * shake(random);
    detector.add({4.0 * at, 10.0 * at, static_cast<std::uint64_t>(std::max(0.0, bytes))});
  }
  return detector;
}

double leaking(int at) {
  return 8 * kGB + 10 * 1.5 * kMB * at;
}
double warming_up(int at) {
  return 5 * kGB + 80 * kMB * std::min(at, 60);
}
double flat(int) {
  return 6 * kGB;
}
double spiking(int at) {
  return at % 25 < 3 ? 10 * kGB : 6 * kGB;
}

TEST(Detector, distinguishes_the_five_kinds) {
  EXPECT_EQ(judged(300, leaking).verdict().kind, VerdictKind::Leak);
  EXPECT_EQ(judged(300, warming_up).verdict().kind, VerdictKind::Warmup);
  EXPECT_EQ(judged(300, flat).verdict().kind, VerdictKind::Stable);
  EXPECT_EQ(judged(300, spiking).verdict().kind, VerdictKind::Spikes);
  EXPECT_EQ(judged(6, leaking).verdict().kind, VerdictKind::Inconclusive);
}

// A cache that fills ever more slowly, in 55 readings of 10 steps. The noise hides much of the bend.
TEST(Detector, growth_that_bends_and_resembles_a_warm_up_is_hardly_ever_a_leak) {
  constexpr int kRuns = 300;
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise(0, 50);
  int leaks = 0;
  for (int run = 0; run < kRuns; ++run) {
    Detector detector;
    for (int at = 0; at < 55; ++at) {
      const double mb = 6000 + 1500 * std::sqrt(at / 54.0) + noise(random);
      detector.add({4.0 * at, 10.0 * at, static_cast<std::uint64_t>(mb * kMB)});
    }
    if (detector.verdict().kind == VerdictKind::Leak) ++leaks;
  }
  EXPECT_LE(leaks, kRuns / 50) << "of " << kRuns << ", seed 9";
}

// Ten bursts of unequal size, which last for a third of their cycle of 30 readings: 1.5 GB in 3,000 steps.
TEST(Detector, the_rate_of_bursts_is_what_the_run_gained) {
  constexpr std::array kSizes = {200, 220, 240, 80, 60, 50, 70, 90, 240, 250};
  const model::Verdict verdict =
      judged(312, [&](int at) {
        double grown = 0;
        for (std::size_t k = 0; k < kSizes.size(); ++k)
          grown += kSizes[k] * std::clamp((at - 30.0 * static_cast<double>(k) - 20) / 10, 0.0, 1.0);
        return 6 * kGB + grown * kMB;
      }).verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Leak);
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes, 0.5 * kMB, 0.015 * kMB);
}

TEST(Detector, the_rate_is_per_step_and_its_interval_holds_the_truth) {
  const model::Verdict verdict = judged(300, leaking).verdict();

  EXPECT_EQ(verdict.axis, model::Axis::Step);
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes, 1.5 * kMB, 0.03 * 1.5 * kMB);
  EXPECT_LE(verdict.rate->low, 1.5 * kMB);
  EXPECT_GE(verdict.rate->high, 1.5 * kMB);
}

TEST(Detector, a_leak_under_spikes_is_a_leak_and_the_spikes_are_named) {
  const model::Verdict verdict =
      judged(300, [](int at) { return leaking(at) + (at % 25 < 3 ? 4 * kGB : 0); }).verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Leak);
  ASSERT_TRUE(verdict.spike_bytes);
  EXPECT_NEAR(static_cast<double>(*verdict.spike_bytes), 4 * kGB, 0.1 * kGB);
  EXPECT_THAT(verdict.reason,
              testing::MatchesRegex("floor rose 1\\.[45][0-9] MB per step over the last 2,990 steps; "
                                    "spikes of (3\\.9|4\\.0)[0-9] GB recover"));
}

TEST(Detector, a_warm_up_has_an_end_a_plateau_and_the_pace_of_its_rise) {
  const model::Verdict verdict = judged(300, warming_up).verdict();

  ASSERT_TRUE(verdict.warmup_end && verdict.warmup_end->step && verdict.warmup_end->at_s);
  EXPECT_NEAR(*verdict.warmup_end->step, 600, 60);
  EXPECT_NEAR(*verdict.warmup_end->at_s, 240, 24);
  EXPECT_NEAR(static_cast<double>(*verdict.plateau_bytes), 9.8 * kGB, 0.05 * kGB);
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes, 8 * kMB, 0.4 * kMB);
}

// The two runs of a real investigation, in MB every ten steps.
TEST(Detector, the_real_run_that_was_cut_at_step_70_is_open) {
  Detector detector;
  int step = 0;
  for (const double mb : {5552, 7159, 8851, 10515, 12227, 13919, 15736}) {
    detector.add({kUnknown, static_cast<double>(step += 10), static_cast<std::uint64_t>(mb * kMB)});
  }

  const model::Verdict verdict = detector.verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_THAT(verdict.reason, testing::HasSubstr("too few to distinguish a leak from a warm-up"));
  EXPECT_TRUE(verdict.needs && verdict.lean);
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes * 10, 1650 * kMB, 70 * kMB);
}

TEST(Detector, the_real_run_that_went_on_was_a_warm_up) {
  Detector detector;
  int step = 0;
  for (const double mb :
       {5434,  7017,  8721,  10375, 12000, 13757, 15559, 17412, 17658, 17693, 17694, 17694,
        17437, 17437, 17437, 17378, 17378, 17229, 17229, 17051, 17052, 17041, 17033, 17032}) {
    detector.add({kUnknown, static_cast<double>(step += 10), static_cast<std::uint64_t>(mb * kMB)});
  }

  const model::Verdict verdict = detector.verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Warmup);
  ASSERT_TRUE(verdict.warmup_end && verdict.warmup_end->step);
  EXPECT_GE(*verdict.warmup_end->step, 80);
  EXPECT_LE(*verdict.warmup_end->step, 100);
  EXPECT_FALSE(verdict.warmup_end->at_s);
  EXPECT_GE(*verdict.plateau_bytes, 17'000'000'000U);
  EXPECT_LE(*verdict.plateau_bytes, 17'700'000'000U);
  EXPECT_FALSE(verdict.spike_bytes) << "the slow decline is no spike";
}

TEST(Detector, units_do_not_matter) {
  for (const double scale : {1e-5, 1e-3, 1.0, 1e2}) {  // from a process of 80 kB to one of 0.8 TB
    const auto scaled = [&](auto curve) { return [=](int at) { return scale * curve(at); }; };
    EXPECT_EQ(judged(300, scaled(leaking)).verdict().kind, VerdictKind::Leak) << scale;
    EXPECT_EQ(judged(300, scaled(warming_up)).verdict().kind, VerdictKind::Warmup) << scale;
    EXPECT_EQ(judged(300, scaled(flat)).verdict().kind, VerdictKind::Stable) << scale;
    EXPECT_EQ(judged(300, scaled(spiking)).verdict().kind, VerdictKind::Spikes) << scale;
  }
}

TEST(Detector, works_on_time_when_there_are_no_steps_and_on_readings_when_there_is_neither) {
  Detector timed;
  Detector bare;
  for (int at = 0; at < 400; ++at) {
    const auto bytes = static_cast<std::uint64_t>(leaking(at));
    timed.add({4.0 * at, kUnknown, bytes});
    bare.add({kUnknown, kUnknown, bytes});
  }

  EXPECT_EQ(timed.verdict().axis, model::Axis::Time);
  EXPECT_NEAR(timed.verdict().rate->bytes, 15 * kMB / 4, 0.1 * kMB);
  EXPECT_EQ(bare.verdict().kind, timed.verdict().kind);
  EXPECT_NEAR(bare.verdict().rate->bytes, 15 * kMB, 0.3 * kMB);
}

TEST(Detector, missing_duplicate_and_irregular_samples_do_not_change_the_kind) {
  std::mt19937_64 random(3);
  Detector detector;
  double at_s = 0;
  for (int at = 0; at < 600; ++at) {
    at_s += 0.1 + static_cast<double>(random() % 100) / 10;
    if (random() % 5 == 0) continue;
    const double step = random() % 3 == 0 ? kUnknown : at;
    const auto bytes = static_cast<std::uint64_t>(8 * kGB + 4 * kMB * at);
    detector.add({at_s, step, bytes});
    if (random() % 7 == 0) detector.add({at_s, step, bytes});
  }

  const model::Verdict verdict = detector.verdict();
  EXPECT_EQ(verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(verdict.axis, model::Axis::Step);
  EXPECT_NEAR(verdict.rate->bytes, 4 * kMB, 0.2 * kMB);
}

TEST(Detector, a_restart_begins_a_new_life_and_growth_in_both_is_a_leak) {
  Detector detector;
  for (int life = 0; life < 3; ++life) {
    if (life > 0) detector.restart();
    for (int at = 0; at < 40; ++at) {
      detector.add({life * 1000.0 + at, 8.0 * at, static_cast<std::uint64_t>(8 * kGB + 20 * kMB * at)});
    }
  }

  const model::Verdict verdict = detector.verdict();
  EXPECT_EQ(verdict.kind, VerdictKind::Leak) << verdict.reason;
  EXPECT_EQ(verdict.samples, 120U);
}

TEST(Detector, a_short_life_after_a_restart_leaves_the_verdict_of_the_one_before) {
  Detector detector = judged(300, leaking);
  detector.restart();
  for (int at = 0; at < 5; ++at) detector.add({2000.0 + at, 10.0 * at, 8'000'000'000U});

  EXPECT_EQ(detector.verdict().kind, VerdictKind::Leak);
  EXPECT_THAT(detector.verdict().reason, testing::StartsWith("before the latest fall of memory: "));
}

TEST(Detector, a_flat_run_that_rises_at_the_end_is_not_called_stable) {
  const model::Verdict verdict =
      judged(300, [](int at) { return 6 * kGB + (at > 280 ? 100 * kMB * (at - 280) : 0); }).verdict();
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive) << verdict.reason;
}

TEST(Detector, growth_that_slows_down_is_open_until_it_has_stopped) {
  EXPECT_EQ(judged(300, [](int at) { return 5 * kGB + 300 * kMB * std::sqrt(at); }).verdict().kind,
            VerdictKind::Inconclusive);
}

TEST(Detector, an_unbroken_ramp_is_a_leak_in_the_end) {
  Detector detector;
  for (int at = 0; at < 300'000; ++at) {
    detector.add({static_cast<double>(at), kUnknown, static_cast<std::uint64_t>(1 * kGB + 1e4 * at)});
  }
  EXPECT_EQ(detector.verdict().kind, VerdictKind::Leak);
  EXPECT_LE(detector.outline().size(), Generation::kCapacity + 1);
}

TEST(Detector, odd_series_get_a_verdict_and_no_nonsense) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::function<model::Sample(int)>> odd = {
      [](int) {
        return model::Sample{0, 0, 0};
      },  // nothing, at one place
      [](int at) {
        return model::Sample{-1.0 * at, -2.0 * at, 5'000'000};
      },  // backwards
      [](int at) {
        return model::Sample{1e300 * at, 1e300 * at, 18'000'000'000'000'000U};
      },
      [=](int at) {
        return model::Sample{inf, at % 2 == 0 ? inf : -inf, 1U};
      },
      [](int at) {
        return model::Sample{1.0 * at, kUnknown, at % 2 == 0 ? 0U : ~0ULL};
      },  // from nothing to everything
  };
  for (std::size_t which = 0; which < odd.size(); ++which) {
    for (const int samples : {0, 1, 5, 8, 100, 3000}) {
      Detector detector;
      for (int at = 0; at < samples; ++at) detector.add(odd[which](at));

      const model::Verdict verdict = detector.verdict();

      EXPECT_FALSE(verdict.reason.empty()) << which << " " << samples;
      EXPECT_GE(verdict.confidence, 0.0) << which << " " << samples;
      EXPECT_LE(verdict.confidence, 1.0) << which << " " << samples;
      (void)detector.forecast(model::LimitKind::Host, 1U << 30U);
      (void)detector.outline();
    }
  }
}

TEST(Detector, a_run_may_warm_up_and_stay_flat_and_then_leak) {
  const model::Verdict verdict =
      judged(400, [](int at) {
        return 4 * kGB + 100 * kMB * std::min(at, 40) + 10 * kMB * std::max(0, at - 250);
      }).verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Leak) << verdict.reason;
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes, 1 * kMB, 0.1 * kMB);
}

TEST(Detector, a_leak_below_a_warm_up_that_decays_is_a_leak) {
  const model::Verdict verdict =
      judged(400, [](int at) { return 8 * kGB - 3 * kGB * std::exp(-at / 12.0) + 2 * kMB * at; }).verdict();

  EXPECT_EQ(verdict.kind, VerdictKind::Leak) << verdict.reason;
  ASSERT_TRUE(verdict.rate);
  EXPECT_NEAR(verdict.rate->bytes, 0.2 * kMB, 0.03 * kMB);
}

TEST(Detector, a_short_run_of_teeth_on_a_flat_floor_has_spikes) {
  const Detector detector = judged(
      100, [](int at) { return 6 * kGB + 100 * kMB * (at % 20); }, 0.003);
  EXPECT_EQ(detector.verdict().kind, VerdictKind::Spikes) << detector.verdict().reason;
}

// The sentence was "the floor changes by 491 to 501 kB per step, which may be flat or rising".
TEST(Detector, an_interval_far_from_zero_is_not_said_to_be_flat_or_rising) {
  const auto rising_by = [](double share) {
    return [=](int at) { return 8 * kGB * (1 + share * at / 19.0); };
  };

  const model::Verdict small = judged(20, rising_by(0.0118), 0.00002).verdict();
  EXPECT_EQ(small.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(small.reason,
            "floor rose 94.3 MB over 190 steps (496 kB per step), too small a rise for a verdict");

  const model::Verdict brief = judged(20, rising_by(0.01), 0.001).verdict();
  EXPECT_EQ(brief.kind, VerdictKind::Inconclusive);
  EXPECT_THAT(brief.reason, testing::EndsWith("too short a time to exclude a slow fluctuation"));
}

TEST(Forecast, says_when_the_floor_with_its_spikes_reaches_the_limit) {
  const Detector detector = judged(300, leaking);  // 12.5 GB at step 2,990, 1.5 MB per step

  const auto forecast = detector.forecast(model::LimitKind::Host, 20'000'000'000U);

  ASSERT_TRUE(forecast && forecast->step && forecast->seconds);
  EXPECT_NEAR(forecast->step->estimate, 8000, 160);
  EXPECT_LE(forecast->step->low, forecast->step->estimate);
  EXPECT_GE(forecast->step->high, forecast->step->estimate);
  EXPECT_NEAR(forecast->seconds->estimate, 3200, 64);
}

TEST(Forecast, what_does_not_grow_has_none) {
  EXPECT_FALSE(judged(300, flat).forecast(model::LimitKind::Host, 20'000'000'000U));
  EXPECT_FALSE(judged(300, warming_up).forecast(model::LimitKind::Host, 20'000'000'000U));
}

}  // namespace
}  // namespace lowtide::judge
