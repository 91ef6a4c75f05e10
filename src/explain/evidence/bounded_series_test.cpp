#include "explain/evidence/bounded_series.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

struct PlainMoment {
  double at_s = 0;
};

SeriesPoint point_at(double at_s, std::uint64_t bytes) {
  SeriesPoint point;
  point.at_s = at_s;
  point.low_bytes = point.high_bytes = bytes;
  return point;
}

TEST(BoundedSeries, one_that_fits_is_unchanged) {
  BoundedSeries<SeriesPoint> series(100);
  for (int at = 0; at < 100; ++at) series.add(point_at(at * 0.01, 5));

  const RecordedSeries kept = series.take();

  ASSERT_EQ(kept.size(), 100U);
  EXPECT_EQ(kept[50].at_s, 0.5);
  EXPECT_EQ(kept[50].count, 1U);
}

TEST(BoundedSeries, a_merged_point_keeps_first_time_span_counts_lowest_and_highest) {
  RecordedSeries kept;
  for (const auto& [at_s, bytes] : {std::pair(8.0, 50U), std::pair(9.0, 10U), std::pair(15.0, 90U)}) {
    SeriesPoint point = point_at(at_s, bytes);
    point.step = at_s * 10;
    point.rss_bytes = bytes + 1;
    append_merged(kept, point, 8);
  }
  append_merged(kept, point_at(16, 7), 8);

  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].at_s, 8);
  EXPECT_EQ(kept[0].span_s, 7);
  EXPECT_EQ(kept[0].step, 150);
  EXPECT_EQ(kept[0].count, 3U);
  EXPECT_EQ(kept[0].low_bytes, 10U);
  EXPECT_EQ(kept[0].high_bytes, 90U);
  EXPECT_EQ(kept[0].rss_bytes, 91U);
}

TEST(BoundedSeries, a_stretch_wider_than_a_bucket_stays_as_it_is) {
  SeriesPoint wide = point_at(0, 5);
  wide.span_s = 9;
  RecordedSeries kept;
  append_merged(kept, wide, 8);
  append_merged(kept, point_at(1, 5), 8);

  EXPECT_EQ(kept.size(), 2U);
}

TEST(BoundedSeries, a_long_one_keeps_every_count_and_extreme_and_its_latest_readings) {
  BoundedSeries<SeriesPoint> series(1'000);
  for (int at = 0; at < 100'000; ++at) series.add(point_at(at, at == 777 ? 1'000U : 5U));

  const RecordedSeries kept = series.take();

  EXPECT_LE(kept.size(), 1'000U);
  std::uint64_t count = 0;
  std::uint64_t highest = 0;
  for (const SeriesPoint& point : kept) {
    count += point.count;
    highest = std::max(highest, point.high_bytes);
  }
  EXPECT_EQ(count, 100'000U);
  EXPECT_EQ(highest, 1'000U);
  EXPECT_EQ(kept.back().at_s, 99'999);
  EXPECT_EQ(kept[kept.size() - 60].count, 1U);
}

TEST(BoundedSeries, two_series_with_the_same_readings_keep_the_same_moments) {
  BoundedSeries<PlainMoment> first(500);
  BoundedSeries<PlainMoment> other(500);
  for (int at = 0; at < 9'000; ++at) {
    first.add({at * 0.7});
    other.add({at * 0.7});
  }

  const std::vector<PlainMoment> left = first.take();
  const std::vector<PlainMoment> right = other.take();

  ASSERT_EQ(left.size(), right.size());
  EXPECT_LE(left.size(), 500U);
  for (std::size_t at = 0; at < left.size(); ++at) EXPECT_EQ(left[at].at_s, right[at].at_s);
  EXPECT_EQ(left.front().at_s, 0);
}

TEST(BoundedSeries, times_that_go_back_and_forth_do_not_break_the_bound) {
  BoundedSeries<SeriesPoint> series(100);
  BoundedSeries<PlainMoment> moments(100);
  for (int at = 0; at < 10'000; ++at) {
    const double at_s = (at % 3 - 1) * 9e10;
    series.add(point_at(at_s, 5));
    moments.add({at_s});
    ASSERT_LE(series.size(), 100U);
    ASSERT_LE(moments.size(), 100U);
  }
}

}  // namespace
}  // namespace lowtide::explain
