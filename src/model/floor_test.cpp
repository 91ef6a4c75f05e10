#include "model/floor.h"

#include <gtest/gtest.h>

#include <vector>

namespace lowtide::model {
namespace {

TEST(Floor, of_a_ramp_grows_by_nearly_all_of_it) {
  for (const int readings : {8, 40, 400, 4000}) {
    std::vector<double> ramp(static_cast<std::size_t>(readings));
    for (std::size_t at = 0; at < ramp.size(); ++at) ramp[at] = 1000.0 * static_cast<double>(at);
    EXPECT_NEAR(static_cast<double>(floor_growth(find_floor(ramp))), ramp.back(), 0.03 * ramp.back());
  }
}

TEST(Floor, of_a_long_series_is_not_moved_by_spikes_at_its_ends) {
  std::vector<double> flat(120, 100.0);
  flat[119] = flat[118] = flat[0] = 900;
  EXPECT_EQ(floor_growth(find_floor(flat)), 0);
}

TEST(Floor, that_fell_is_negative_and_of_nothing_is_nothing) {
  EXPECT_EQ(floor_growth(find_floor(std::vector<double>{7, 5})), -2);
  EXPECT_EQ(floor_growth(find_floor(std::vector<double>{})), 0);
}

}  // namespace
}  // namespace lowtide::model
