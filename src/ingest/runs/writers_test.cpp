#include "ingest/runs/writers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lowtide::ingest {
namespace {

constexpr double kNoStep = std::numeric_limits<double>::quiet_NaN();

TEST(two_levels_in_each_step, are_two_lanes) {
  std::vector<LaneReading> readings;
  for (int step = 0; step < 20; ++step) {
    readings.push_back({static_cast<double>(step), 5000});
    readings.push_back({static_cast<double>(step), 9000.0 + 3 * step});
  }

  EXPECT_EQ(count_lanes(readings), 2U);
}

TEST(two_levels_in_turn, are_one_lane_when_steps_tell_them_apart) {
  std::vector<LaneReading> readings;
  readings.reserve(40);
  for (int step = 0; step < 40; ++step)
    readings.push_back({static_cast<double>(step), step % 2 == 0 ? 4000.0 : 6000.0});

  EXPECT_EQ(count_lanes(readings), 1U);
}

TEST(the_same_reading_twice, is_one_lane) {
  std::vector<LaneReading> readings;
  for (int step = 0; step < 20; ++step) {
    for (int copy = 0; copy < 2; ++copy) readings.push_back({static_cast<double>(step), 5000.0 + 3 * step});
  }

  EXPECT_EQ(count_lanes(readings), 1U);
}

TEST(rows_in_the_same_order_every_time, are_lanes_also_without_steps) {
  std::vector<LaneReading> readings;
  for (int tick = 0; tick < 20; ++tick) {
    for (const double level : {4000.0 + 3 * tick, 5000.0, 4000.0}) readings.push_back({kNoStep, level});
  }

  EXPECT_EQ(count_lanes(readings), 3U);
}

TEST(writers_that_change_their_order, keep_their_lanes) {
  Writers lanes(2, Writers::By::Level);
  const std::size_t low = lanes.place({0, 5000});
  const std::size_t high = lanes.place({0, 9000});

  EXPECT_NE(low, high);
  EXPECT_EQ(lanes.place({1, 9003}), high);
  EXPECT_EQ(lanes.place({1, 5001}), low);
  EXPECT_EQ(lanes.place({2, 5002}), low);
  EXPECT_EQ(lanes.place({3, 5002}), low);
  EXPECT_EQ(lanes.place({2, 9006}), high);
}

}  // namespace
}  // namespace lowtide::ingest
