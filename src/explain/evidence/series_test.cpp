#include "explain/evidence/series.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

TrailPoint reading(double at_s, std::uint64_t bytes, double step = model::kUnknown) {
  TrailPoint point;
  point.at_s = at_s;
  point.step = step;
  point.low_bytes = point.high_bytes = bytes;
  return point;
}

TEST(RecordedSeries, end_of_workers_before_their_trainer_is_no_floor) {
  RecordedSeries trail;
  for (int at = 0; at < 12; ++at) {
    trail.push_back(reading(
        at, at < 5 ? 100U : 100U + 20U * static_cast<unsigned>(at)));  // the sparse readings reach far back
    trail.back().processes = 3;
  }
  trail.push_back(reading(14, 122));
  trail.back().processes = 1;

  drop_teardown(trail, 14.5);

  ASSERT_EQ(trail.size(), 12U);
  EXPECT_EQ(trail.back().processes, 3U);
}

TEST(RecordedSeries, window_without_a_reading_has_no_level) {
  const RecordedSeries trail{reading(0, 10), reading(1, 20)};

  EXPECT_EQ(level(trail, {5, 9}), std::nullopt);
  EXPECT_EQ(level(trail, {0, 0.5}), 10.0);
}

TEST(RecordedSeries, change_counts_a_process_that_came_later_from_nothing) {
  const RecordedSeries trail{reading(8, 500), reading(9, 500)};

  EXPECT_DOUBLE_EQ(change(trail, {0, 2}, {8, 10}), 500.0);
}

TEST(RecordedSeries, thinned_point_is_two_readings_its_low_and_its_high) {
  TrailPoint thinned = reading(0, 100);
  thinned.span_s = 10;
  thinned.count = 11;
  thinned.high_bytes = 300;
  const RecordedSeries trail{thinned, reading(20, 150)};

  const model::SeriesReport report = judge_trail(trail, {});

  EXPECT_EQ(report.verdict.samples, 3U);
  EXPECT_EQ(report.peak_bytes, 300U);
  EXPECT_EQ(report.last_bytes, 150U);
  EXPECT_EQ(report.last_s, 20.0);
}

TEST(RecordedSeries, what_comes_before_the_first_step_is_start_up) {
  RecordedSeries trail;
  for (int at = 0; at < 40; ++at) trail.push_back(reading(at, 100, at < 10 ? model::kUnknown : at));

  const Steps steps = find_steps(trail);

  ASSERT_TRUE(steps.known);
  EXPECT_EQ(steps.first_at_s, 10.0);
  EXPECT_EQ(judge_trail(trail, steps).verdict.samples, 30U);
}

TEST(RecordedSeries, joined_readings_with_the_first_step_are_start_up) {
  RecordedSeries trail;
  TrailPoint joined = reading(0, 5, 80);  // the step of its last reading
  joined.span_s = 8;
  joined.count = 9;
  joined.high_bytes = 100;
  trail.push_back(joined);
  for (int at = 10; at < 40; ++at) trail.push_back(reading(at, 100, 80 + at));

  const Steps steps = find_steps(trail);

  ASSERT_TRUE(steps.known);
  EXPECT_EQ(steps.first_at_s, 8.0);
  EXPECT_EQ(judge_trail(trail, steps).verdict.samples, 30U);
}

TEST(RecordedSeries, a_step_that_is_mentioned_now_and_then_is_no_axis) {
  RecordedSeries trail;
  for (int at = 0; at < 100; ++at) trail.push_back(reading(at, 100, at % 20 == 0 ? at : model::kUnknown));

  EXPECT_FALSE(find_steps(trail).known);
}

}  // namespace
}  // namespace lowtide::explain
