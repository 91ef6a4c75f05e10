#include "judge/generation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lowtide::judge {
namespace {

TEST(Generation, stays_within_its_capacity_and_keeps_count_and_minimum) {
  Generation generation;
  for (int at = 0; at < 300'000; ++at) generation.add(at, at, at == 123'456 ? 7 : 1000);

  const std::vector<Bucket> buckets = generation.buckets();

  EXPECT_LE(buckets.size(), Generation::kCapacity + 1);
  std::uint64_t count = 0;
  double lowest = HUGE_VAL;
  for (const Bucket& bucket : buckets) {
    count += bucket.count;
    lowest = std::min(lowest, bucket.low);
  }
  EXPECT_EQ(count, 300'000U);
  EXPECT_EQ(lowest, 7);
}

TEST(Generation, a_bucket_takes_the_first_step_it_learns_of) {
  Generation generation;
  for (int at = 0; at < 2048; ++at) generation.add(at, at % 2 == 0 ? model::kUnknown : at, 1);

  EXPECT_EQ(generation.buckets().front().step, 1);
  EXPECT_EQ(generation.buckets().front().at_s, 0);
}

}  // namespace
}  // namespace lowtide::judge
