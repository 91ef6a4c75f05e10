#include "judge/excursions.h"

#include <gtest/gtest.h>

namespace lowtide::judge {
namespace {

TEST(FindExcursions, a_rise_that_is_taken_back_has_place_and_height) {
  std::vector<double> values(60, 100);
  for (std::size_t at = 20; at < 25; ++at) values[at] = 180;

  const std::vector<Excursion> found = find_excursions(values, 20);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, 20U);
  EXPECT_EQ(found[0].last, 24U);
  EXPECT_DOUBLE_EQ(found[0].height, 80);
}

TEST(FindExcursions, growth_that_stays_and_a_short_dip_are_none) {
  std::vector<double> values(60);
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = 100.0 + 5.0 * static_cast<double>(at);
  EXPECT_TRUE(find_excursions(values, 20).empty());

  std::vector<double> dipped(60, 100);
  dipped[30] = 10;
  EXPECT_TRUE(find_excursions(dipped, 20).empty());
}

}  // namespace
}  // namespace lowtide::judge
