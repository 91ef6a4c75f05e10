#include "explain/evidence/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace lowtide::explain {
namespace {

SeriesPoint reading(double at_s, std::uint64_t bytes, double step = model::kUnknown) {
  SeriesPoint point;
  point.at_s = at_s;
  point.step = step;
  point.low_bytes = point.high_bytes = bytes;
  return point;
}

TEST(RecordedSeries, end_of_workers_before_their_trainer_is_no_floor) {
  RecordedSeries series;
  for (int at = 0; at < 12; ++at) {
    series.push_back(reading(
        at, at < 5 ? 100U : 100U + 20U * static_cast<unsigned>(at)));  // the sparse readings reach far back
    series.back().processes = 3;
  }
  series.push_back(reading(14, 122));
  series.back().processes = 1;

  drop_packing_up(series, {}, 14.5);

  ASSERT_EQ(series.size(), 12U);
  EXPECT_EQ(series.back().processes, 3U);
}

TEST(RecordedSeries, first_reading_of_a_fall_at_the_end_is_left_out_though_it_is_not_that_low) {
  RecordedSeries series;
  for (int at = 0; at < 40; ++at) series.push_back(reading(0.5 * at, 100 + 20U * static_cast<unsigned>(at)));
  for (const unsigned bytes : {800U, 300U, 100U, 100U})
    series.push_back(reading(series.back().at_s + 0.5, bytes));

  drop_packing_up(series, {}, series.back().at_s + 0.3);

  EXPECT_EQ(series.size(), 40U);
}

// 50 steps per second for 30 s, each of which gains 400 kB until step `stop`. Before the first reading with
// the last step a tenth is freed; the rest is held for `packing_up_s`.
RecordedSeries training(double packing_up_s, int stop = 1500) {
  constexpr std::uint64_t kStart = 26'000'000;
  constexpr std::uint64_t kGain = 400'000;
  constexpr int kSteps = 1500;
  RecordedSeries series;
  for (double at_s = 0; at_s < 30 + packing_up_s; at_s += 0.5) {
    const int step = std::min(kSteps - 1, static_cast<int>(50 * at_s));
    const std::uint64_t held = kGain * static_cast<std::uint64_t>(std::min(step, stop));
    series.push_back(reading(at_s, kStart + (step == kSteps - 1 ? held / 10 * 9 : held), step));
  }
  return series;
}

model::VerdictKind kind_without_packing_up(RecordedSeries series, bool has_ended) {
  const Steps steps = find_steps(series);
  drop_packing_up(series, steps, has_ended ? std::optional(series.back().at_s + 0.2) : std::nullopt);
  const Steps left = find_steps(series);
  return (has_ended ? judge_series(series, left).verdict : judge_live(series, left)).kind;
}

TEST(RecordedSeries, what_is_freed_after_the_last_step_does_not_end_the_growth) {
  for (const double packing_up_s : {2, 5, 10}) {
    EXPECT_EQ(kind_without_packing_up(training(packing_up_s), true), model::VerdictKind::Leak)
        << packing_up_s;
    EXPECT_NE(kind_without_packing_up(training(packing_up_s), false), model::VerdictKind::Warmup)
        << packing_up_s;
  }
}

TEST(RecordedSeries, growth_that_ends_long_before_the_last_step_is_a_warm_up) {
  for (const double packing_up_s : {2, 5, 10})
    EXPECT_EQ(kind_without_packing_up(training(packing_up_s, 500), true), model::VerdictKind::Warmup)
        << packing_up_s;
}

TEST(RecordedSeries, checkpoint_after_the_last_step_is_packing_up_too) {
  RecordedSeries series = training(10);
  const std::uint64_t most = (series.end() - 21)->low_bytes;
  for (auto point = series.end() - 12; point != series.end() - 6; ++point)
    point->low_bytes = most + 90'000'000;

  EXPECT_EQ(kind_without_packing_up(series, true), model::VerdictKind::Leak);
}

TEST(RecordedSeries, what_the_job_has_when_it_ends_as_large_as_it_was_is_kept) {
  RecordedSeries series = training(5);
  for (SeriesPoint& point : series)
    point.low_bytes = 500 + static_cast<std::uint64_t>(point.at_s * 2) % 7 * 10;
  const std::size_t readings = series.size();
  series.back().low_bytes = 500 + 60;

  drop_packing_up(series, find_steps(series), std::nullopt);

  EXPECT_EQ(series.size(), readings);
}

TEST(RecordedSeries, window_without_a_reading_has_no_level) {
  const RecordedSeries series{reading(0, 10), reading(1, 20)};

  EXPECT_EQ(level(series, {5, 9}), std::nullopt);
  EXPECT_EQ(level(series, {0, 0.5}), 10.0);
}

TEST(RecordedSeries, change_counts_a_process_that_came_later_from_nothing) {
  const RecordedSeries series{reading(8, 500), reading(9, 500)};

  EXPECT_DOUBLE_EQ(change(series, {0, 2}, {8, 10}), 500.0);
}

TEST(RecordedSeries, thinned_point_is_two_readings_its_low_and_its_high) {
  SeriesPoint thinned = reading(0, 100);
  thinned.span_s = 10;
  thinned.count = 11;
  thinned.high_bytes = 300;
  const RecordedSeries series{thinned, reading(20, 150)};

  const model::SeriesReport report = judge_series(series, {});

  EXPECT_EQ(report.verdict.samples, 3U);
  EXPECT_EQ(report.peak_bytes, 300U);
  EXPECT_EQ(report.last_bytes, 150U);
  EXPECT_EQ(report.last_s, 20.0);
}

TEST(RecordedSeries, what_comes_before_the_first_step_is_start_up) {
  RecordedSeries series;
  for (int at = 0; at < 40; ++at) series.push_back(reading(at, 100, at < 10 ? model::kUnknown : at));

  const Steps steps = find_steps(series);

  ASSERT_TRUE(steps.known);
  EXPECT_EQ(steps.first_at_s, 10.0);
  EXPECT_EQ(judge_series(series, steps).verdict.samples, 30U);
}

TEST(RecordedSeries, joined_readings_with_the_first_step_are_start_up) {
  RecordedSeries series;
  SeriesPoint joined = reading(0, 5, 80);  // the step of its last reading
  joined.span_s = 8;
  joined.count = 9;
  joined.high_bytes = 100;
  series.push_back(joined);
  for (int at = 10; at < 40; ++at) series.push_back(reading(at, 100, 80 + at));

  const Steps steps = find_steps(series);

  ASSERT_TRUE(steps.known);
  EXPECT_EQ(steps.first_at_s, 8.0);
  EXPECT_EQ(judge_series(series, steps).verdict.samples, 30U);
}

TEST(RecordedSeries, a_step_that_is_mentioned_now_and_then_is_no_axis) {
  RecordedSeries series;
  for (int at = 0; at < 100; ++at) series.push_back(reading(at, 100, at % 20 == 0 ? at : model::kUnknown));

  EXPECT_FALSE(find_steps(series).known);
}

}  // namespace
}  // namespace lowtide::explain
