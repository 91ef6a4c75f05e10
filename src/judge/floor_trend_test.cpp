#include "judge/floor_trend.h"

#include <gtest/gtest.h>

#include <vector>

namespace lowtide::judge {
namespace {

TEST(FloorTrend, of_a_ramp_is_all_of_it) {
  for (const int readings : {8, 41, 400, 4000}) {
    std::vector<double> ramp(static_cast<std::size_t>(readings));
    for (std::size_t at = 0; at < ramp.size(); ++at) ramp[at] = 1000.0 * static_cast<double>(at);
    EXPECT_NEAR(floor_trend(ramp), 1000.0 * readings, 1.0) << readings;
  }
}

TEST(FloorTrend, spikes_do_not_move_it_wherever_they_are) {
  std::vector<double> flat(90, 100.0);
  for (const std::size_t at : {0U, 1U, 2U, 3U, 40U, 86U, 87U, 88U, 89U}) flat[at] = 900;
  EXPECT_EQ(floor_trend(flat), 0);
}

TEST(FloorTrend, what_falls_is_negative_and_a_few_readings_are_nothing) {
  EXPECT_EQ(floor_trend(std::vector<double>{9, 8, 7, 6}), -4);
  EXPECT_EQ(floor_trend(std::vector<double>{9, 8, 7}), 0);
  EXPECT_EQ(floor_trend(std::vector<double>{}), 0);
}

}  // namespace
}  // namespace lowtide::judge
