#include "explain/settle/steady_rise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lowtide::explain {
namespace {

constexpr double kSeconds = 240;

RecordedSeries rising_series(const std::function<double(double)>& bytes) {
  RecordedSeries series;
  for (int at = 0; at <= kSeconds; ++at) {
    SeriesPoint point;
    point.at_s = at;
    point.low_bytes = point.high_bytes = static_cast<std::uint64_t>(bytes(at / kSeconds));
    series.push_back(point);
  }
  return series;
}

bool is_steady(const std::function<double(double)>& bytes, double samples = 400) {
  return find_steady_rise(rising_series(bytes), {}, {0, kSeconds}, samples).steady;
}

TEST(SteadyRise, straight_line_is_one_and_a_flat_line_is_not) {
  EXPECT_TRUE(is_steady([](double t) { return 1e8 + 2e8 * t; }));
  EXPECT_FALSE(is_steady([](double) { return 1e8; }));
  EXPECT_FALSE(is_steady([](double t) { return 2e8 - 1e8 * t; }));
}

TEST(SteadyRise, rise_that_stops_before_the_end_is_none) {
  for (const double stop : {0.4, 0.6, 0.8, 0.88}) {
    EXPECT_FALSE(is_steady([&](double t) { return 2e8 * std::min(t, stop); })) << stop;
  }
}

TEST(SteadyRise, rise_that_slows_down_is_none) {
  EXPECT_FALSE(is_steady([](double t) { return 2e8 * (1 - std::exp(-3 * t)); }));
  EXPECT_FALSE(is_steady([](double t) { return 2e8 * std::sqrt(t); }));
}

TEST(SteadyRise, stairs_are_one_when_there_are_enough_of_them) {
  EXPECT_TRUE(is_steady([](double t) { return 1e7 * std::floor(12 * t); }));
  EXPECT_TRUE(is_steady([](double t) { return 1e7 * std::floor(6 * t + 0.5); }));
  EXPECT_FALSE(is_steady([](double t) { return 1e8 * std::floor(2 * t + 0.3); }));
}

TEST(SteadyRise, spikes_on_a_flat_floor_are_none_and_do_not_hide_a_rise) {
  const auto spike = [](double t) { return std::fmod(t, 0.1) > 0.07 ? 2e8 : 0; };

  EXPECT_FALSE(is_steady([&](double t) { return 1e8 + spike(t); }));
  EXPECT_TRUE(is_steady([&](double t) { return 1e8 * t + spike(t); }));
}

TEST(SteadyRise, jump_is_none) {
  EXPECT_FALSE(is_steady([](double t) { return t < 0.5 ? 1e8 : 3e8; }));
}

TEST(SteadyRise, too_few_readings_are_none) {
  RecordedSeries series = rising_series([](double t) { return 2e8 * t; });
  series.resize(20);

  EXPECT_FALSE(find_steady_rise(series, {}, {0, kSeconds}, 400).steady);
}

}  // namespace
}  // namespace lowtide::explain
