#include "record/tables/thinner.h"

#include <gmock/gmock.h>

namespace lowtide::record {
namespace {

SampleRow reading(double at_s, std::int64_t bytes) {
  SampleRow row;
  row.at_s = at_s;
  row.count = 1;
  row.low = bytes;
  row.mean = static_cast<double>(bytes);
  row.high = bytes;
  row.others.fill(kAbsent);
  return row;
}

TEST(Thinner, a_stretch_keeps_lowest_mean_and_highest) {
  Thinner thinner;
  std::vector<ThinRow> done;
  thinner.add(SeriesKind::Target, reading(0, 50));
  thinner.add(SeriesKind::Target, reading(1, 10));
  thinner.add(SeriesKind::Target, reading(6, 90));

  const bool rolled = thinner.roll(8, done);

  ASSERT_TRUE(rolled);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].level, 1U);
  EXPECT_EQ(done[0].row.low, 10);
  EXPECT_DOUBLE_EQ(done[0].row.mean, 50);
  EXPECT_EQ(done[0].row.high, 90);
  EXPECT_EQ(done[0].row.count, 3);
  EXPECT_EQ(done[0].row.at_s, 0);
  EXPECT_EQ(done[0].row.span_s, 6);
}

TEST(Thinner, nothing_ends_within_a_stretch) {
  Thinner thinner;
  std::vector<ThinRow> done;
  thinner.add(SeriesKind::Target, reading(0, 50));

  EXPECT_FALSE(thinner.roll(7.99, done));
  EXPECT_TRUE(done.empty());
}

TEST(Thinner, a_series_that_fell_silent_is_ended_at_every_level) {
  Thinner thinner;
  std::vector<ThinRow> done;
  thinner.add(SeriesKind::Process, reading(1, 5));
  thinner.roll(8, done);

  thinner.roll(16, done);

  ASSERT_EQ(done.size(), 4U);
  EXPECT_EQ(done[1].level, 2U);
  EXPECT_EQ(done[3].level, 4U);
  EXPECT_EQ(done[3].row.high, 5);
}

TEST(Thinner, other_columns_keep_their_latest_known_value_and_the_number_of_processes_its_highest) {
  SampleRow first = reading(0, 1);
  first.others[1] = 100;
  first.others[2] = 9;
  SampleRow second = reading(1, 1);
  second.others[2] = 3;

  merge(spec_of(SeriesKind::Target), first, second);

  EXPECT_EQ(first.others[1], 100);
  EXPECT_EQ(first.others[2], 9);
}

TEST(Thinner, a_clock_that_goes_back_ends_nothing) {
  Thinner thinner;
  std::vector<ThinRow> done;
  thinner.roll(100, done);
  thinner.add(SeriesKind::Target, reading(100, 1));

  EXPECT_FALSE(thinner.roll(20, done));
}

}  // namespace
}  // namespace lowtide::record
