#include "show/page/thin_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lowtide::show {
namespace {

using model::CounterPoint;
using model::CounterTrack;

std::vector<CounterPoint> flat(std::size_t count, double value) {
  std::vector<CounterPoint> points;
  for (std::size_t at = 0; at < count; ++at) points.push_back({static_cast<double>(at), value});
  return points;
}

TEST(ThinPoints, few_points_stay_as_they_are) {
  const auto points = flat(20, 5);

  EXPECT_EQ(thinned(points, {0, 19, 10}).size(), 20U);
  EXPECT_EQ(thinned(points, {}).size(), 20U);
}

TEST(ThinPoints, lowest_and_highest_survive_in_their_order) {
  auto points = flat(1000, 50);
  points[111].value = 99;
  points[115].value = 1;
  points[720].value = 2;
  points[725].value = 98;

  const auto thin = thinned(points, {0, 999, 10});

  ASSERT_EQ(thin.size(), 20U);
  EXPECT_EQ(thin[2].value, 99);  // the second bucket: first high, then low
  EXPECT_EQ(thin[3].value, 1);
  EXPECT_EQ(thin[14].value, 2);
  EXPECT_EQ(thin[15].value, 98);
  EXPECT_TRUE(
      std::is_sorted(thin.begin(), thin.end(), [](const auto& a, const auto& b) { return a.at_s < b.at_s; }));
}

TEST(ThinPoints, series_of_one_run_share_their_moments) {
  const Buckets buckets{0, 999, 10};

  const auto one = thinned(flat(1000, 1), buckets);
  const auto other = thinned(flat(1000, 2), buckets);

  ASSERT_EQ(one.size(), other.size());
  for (std::size_t at = 0; at < one.size(); ++at) EXPECT_EQ(one[at].at_s, other[at].at_s);
}

TEST(ThinPoints, stretch_without_readings_stays_empty) {
  auto points = flat(1000, 1);
  points.erase(points.begin() + 200, points.begin() + 800);

  const auto thin = thinned(points, {0, 999, 10});

  EXPECT_TRUE(
      std::none_of(thin.begin(), thin.end(), [](const auto& p) { return p.at_s > 210 && p.at_s < 790; }));
}

TEST(ThinPoints, run_within_the_limit_has_no_buckets) {
  const CounterTrack track{1, "memory", flat(1000, 1)};

  EXPECT_EQ(choose_buckets({&track}, 1000).count, 0U);
}

TEST(ThinPoints, long_series_share_what_short_ones_leave) {
  const CounterTrack few{1, "memory", flat(100, 1)};
  const CounterTrack many{2, "memory", flat(50'000, 1)};

  const Buckets buckets = choose_buckets({&few, &many, &many}, 10'100);

  EXPECT_EQ(buckets.count, 2500U);
  EXPECT_EQ(buckets.from_s, 0);
  EXPECT_EQ(buckets.to_s, 49'999);
}

}  // namespace
}  // namespace lowtide::show
