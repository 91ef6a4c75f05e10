// Many samples at once against one by one: the same to the last bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "judge/detector.h"

namespace lowtide::judge {
namespace {

// Noise around a floor that rises, with what the fast way must notice: dips, falls that stay, silences,
// steps that go back, and times and steps that are missing.
std::vector<model::Sample> some_series(unsigned seed) {
  std::mt19937 random(seed);
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  const bool timed = seed % 3 != 0;
  const bool stepped = seed % 4 != 0;
  std::vector<model::Sample> samples;
  double at_s = 0;
  double step = 0;
  double floor = 5e9;
  for (int i = 0; i < 6000; ++i) {
    at_s += one_in(700) ? 400 : 0.5 + 0.001 * static_cast<double>(random() % 1000);
    step += one_in(3) ? 2 : 1;
    floor += 1e5;
    if (one_in(1500)) floor *= 0.4;
    if (one_in(2000)) step = 0;
    const double dip = one_in(300) ? 0.5 : 1.0;
    const double bytes = floor * dip * (1 + 0.0001 * static_cast<double>(random() % (1 + seed * 20)));
    samples.push_back({timed && !one_in(50) ? at_s : model::kUnknown,
                       stepped && !one_in(50) ? step : model::kUnknown, static_cast<std::uint64_t>(bytes)});
  }
  return samples;
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

void expect_same(const Detector& left, const Detector& right) {
  const auto left_lives = left.generations();
  const auto right_lives = right.generations();
  ASSERT_EQ(left_lives.size(), right_lives.size());
  EXPECT_EQ(left.samples(), right.samples());
  EXPECT_EQ(left.verdict().reason, right.verdict().reason);
  EXPECT_EQ(bits(left.verdict().confidence), bits(right.verdict().confidence));
  for (std::size_t life = 0; life < left_lives.size(); ++life) {
    const auto left_buckets = left_lives[life].buckets();
    const auto right_buckets = right_lives[life].buckets();
    ASSERT_EQ(left_buckets.size(), right_buckets.size());
    EXPECT_EQ(bits(left_lives[life].last_at_s()), bits(right_lives[life].last_at_s()));
    EXPECT_EQ(bits(left_lives[life].last_step()), bits(right_lives[life].last_step()));
    for (std::size_t at = 0; at < left_buckets.size(); ++at) {
      EXPECT_EQ(left_buckets[at].count, right_buckets[at].count);
      EXPECT_EQ(bits(left_buckets[at].at_s), bits(right_buckets[at].at_s));
      EXPECT_EQ(bits(left_buckets[at].step), bits(right_buckets[at].step));
      EXPECT_EQ(bits(left_buckets[at].low), bits(right_buckets[at].low));
      EXPECT_EQ(bits(left_buckets[at].high), bits(right_buckets[at].high));
      EXPECT_EQ(bits(left_buckets[at].sum), bits(right_buckets[at].sum));
    }
  }
}

TEST(Detector, judges_many_samples_at_once_as_one_by_one) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<model::Sample> samples = some_series(seed);
    std::mt19937 random(seed);
    Detector one_by_one;
    Detector at_once;

    for (const model::Sample& sample : samples) one_by_one.add(sample);
    for (std::span<const model::Sample> left = samples; !left.empty();) {
      const auto part = left.first(std::min<std::size_t>(left.size(), 1 + random() % 900));
      at_once.add(part);
      left = left.subspan(part.size());
    }

    expect_same(one_by_one, at_once);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lowtide::judge
