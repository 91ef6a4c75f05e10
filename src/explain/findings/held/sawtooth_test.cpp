#include "explain/findings/held/sawtooth.h"

#include <gtest/gtest.h>

#include <array>

#include <cmath>
#include <vector>

namespace lowtide::explain {
namespace {

RecordedSeries series_of(const std::vector<double>& levels) {
  RecordedSeries series;
  for (std::size_t at = 0; at < levels.size(); ++at) {
    SeriesPoint point{};
    point.at_s = static_cast<double>(at);
    point.low_bytes = point.high_bytes = static_cast<std::uint64_t>(levels[at] * 1e6);
    series.push_back(point);
  }
  return series;
}

TEST(Sawtooth, slow_climbs_and_sudden_falls_are_one) {
  std::vector<double> levels;
  levels.reserve(100);
  for (int at = 0; at < 100; ++at) levels.push_back(500 + 10.0 * (at % 20) + at % 3);

  const auto found = find_sawtooth(series_of(levels), 60e6);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->climbs, 4U);
  EXPECT_NEAR(found->climb_s, 16, 1.5) << "without the first fifth of the way";
  EXPECT_LE(found->fall_s, 2);
}

TEST(Sawtooth, spikes_with_rest_between_them_are_none) {
  std::vector<double> levels;
  levels.reserve(100);
  for (int at = 0; at < 100; ++at) levels.push_back(at % 20 >= 16 ? 700 : 500);

  EXPECT_FALSE(find_sawtooth(series_of(levels), 60e6));
}

TEST(Sawtooth, spikes_above_a_floor_that_rises_a_little_are_none) {
  std::vector<double> levels;
  levels.reserve(100);
  for (int at = 0; at < 100; ++at) levels.push_back(at % 20 == 19 ? 700 : 500 + 0.1 * at);

  EXPECT_FALSE(find_sawtooth(series_of(levels), 60e6));
}

TEST(Sawtooth, slow_falls_and_plain_growth_are_none) {
  std::vector<double> waves;
  std::vector<double> growth;
  waves.reserve(100);
  growth.reserve(100);
  for (int at = 0; at < 100; ++at) {
    waves.push_back(500 + 20.0 * std::abs(at % 20 - 10));
    growth.push_back(500 + 5.0 * at);
  }

  EXPECT_FALSE(find_sawtooth(series_of(waves), 60e6));
  EXPECT_FALSE(find_sawtooth(series_of(growth), 60e6));
  EXPECT_FALSE(find_sawtooth({}, 60e6));
}

// A list of the job in three snapshots, in MB.
const model::HeldNode* emptied(const std::string& path, std::array<std::uint64_t, 3> megabytes) {
  static std::vector<record::RecordedSnapshot> snapshots;
  snapshots.clear();
  for (const std::uint64_t size : megabytes) {
    model::HeldNode node;
    node.path = path;
    node.type = "list";
    node.retained_bytes = size * 1'000'000;
    record::RecordedSnapshot& taken = snapshots.emplace_back();
    taken.snapshot.has_holders = true;
    if (size > 0) taken.snapshot.nodes = {node};
  }
  return find_emptied(snapshots, 20e6);
}

TEST(FilledAndEmptied, list_that_is_cleared_is_found_whatever_the_last_snapshot_shows) {
  EXPECT_NE(emptied("__main__.outputs", {60, 110, 0}), nullptr);
  EXPECT_NE(emptied("__main__.outputs", {90, 5, 40}), nullptr);
  EXPECT_EQ(emptied("__main__.outputs", {5, 40, 90}), nullptr) << "it only grew";
  EXPECT_EQ(emptied("__main__.outputs", {50, 45, 50}), nullptr) << "it lost little";
  EXPECT_EQ(emptied("<held by C: list>", {90, 5, 40}), nullptr) << "that may be garbage";
}

}  // namespace
}  // namespace lowtide::explain
