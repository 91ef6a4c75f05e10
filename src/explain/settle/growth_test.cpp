#include "explain/settle/growth.h"

#include <gtest/gtest.h>

#include <numeric>

namespace lowtide::explain {
namespace {

constexpr double kOneMB = 1e6;

// 100 MB come at once, and then `shared_mb` per reading, in shared memory.
WatchedProcess jumps_and_maps(double shared_mb) {
  WatchedProcess out;
  for (int at = 0; at < 100; ++at) {
    SeriesPoint point;
    point.at_s = at;
    point.shmem_bytes = static_cast<std::uint64_t>(shared_mb * kOneMB * at);
    point.low_bytes = point.high_bytes = point.shmem_bytes + (at < 3 ? 20'000'000 : 120'000'000);
    out.series.push_back(point);
  }
  return out;
}

model::GrowthReport explained(const WatchedProcess& process) {
  Evidence evidence;
  evidence.target = process.series;
  evidence.early = {5, 20};
  evidence.late = {85, 99};
  model::Verdict verdict;
  verdict.kind = model::VerdictKind::Leak;
  verdict.floor = {process.series.front().low_bytes, process.series.back().low_bytes};
  return explain_growth(evidence, {process}, {}, verdict);
}

TEST(Growth, parts_say_nothing_about_growth_before_they_were_measured) {
  const model::GrowthReport report = explained(jumps_and_maps(0.1));

  ASSERT_FALSE(report.mechanisms.empty());
  EXPECT_EQ(report.mechanisms.front().mechanism, model::Mechanism::SharedMemory);
  EXPECT_LT(report.mechanisms.front().share, 0.1);
  EXPECT_LT(report.mechanisms.front().bytes, 10'000'000U);
}

TEST(Growth, parts_add_up_to_the_whole_growth) {
  for (const double shared_mb : {0.1, 10.0}) {
    const model::GrowthReport report = explained(jumps_and_maps(shared_mb));
    const double sum =
        std::accumulate(report.mechanisms.begin(), report.mechanisms.end(), 0.0,
                        [](double all, const model::MechanismShare& part) { return all + part.share; });
    EXPECT_NEAR(sum, 1, 0.01) << shared_mb;
  }
  EXPECT_GT(explained(jumps_and_maps(10)).mechanisms.front().share, 0.9);
}

}  // namespace
}  // namespace lowtide::explain
