#include "explain/settle/sites/doubling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lowtide::explain {
namespace {

constexpr double kStairMB = 1e6;

Steps by_steps(int last) {
  return {.known = true, .first_at_s = 0, .last_at_s = static_cast<double>(last)};
}

RecordedSeries stairs_of_steps(int count, const std::function<double(int)>& bytes) {
  RecordedSeries out;
  for (int at = 0; at < count; ++at) {
    SeriesPoint point;
    point.at_s = point.step = at;
    point.low_bytes = point.high_bytes = static_cast<std::uint64_t>(20 * kStairMB + bytes(at));
    out.push_back(point);
  }
  return out;
}

// The capacity of a buffer that doubles, if 0.4 MB come in every step.
double capacity(int step) {
  double out = 0.4 * kStairMB;
  while (out < 0.4 * kStairMB * (step + 1)) out *= 2;
  return out;
}

TEST(Doubling, next_stair_of_a_buffer_that_doubles_is_due_after_twice_the_wait) {
  const auto found = find_doubling(stairs_of_steps(480, capacity), by_steps(480));

  ASSERT_TRUE(found);
  EXPECT_NEAR(found->due, 512, 10);
  EXPECT_NEAR(found->last_wait, 640, 15);
}

TEST(Doubling, copies_while_it_doubles_are_no_stairs) {
  const auto copied = [](int step) { return capacity(step) + (step % 64 == 0 ? 300 * kStairMB : 0); };

  EXPECT_TRUE(find_doubling(stairs_of_steps(480, copied), by_steps(480)));
}

TEST(Doubling, stairs_end_where_the_next_one_did_not_come) {
  const auto bounded = [](int step) { return capacity(std::min(step, 300)); };

  EXPECT_TRUE(find_doubling(stairs_of_steps(630, bounded), by_steps(630)));
  EXPECT_FALSE(find_doubling(stairs_of_steps(680, bounded), by_steps(680)));
}

TEST(Doubling, other_growth_is_no_doubling) {
  const auto line = [](int step) { return 0.4 * kStairMB * step; };
  const auto equal_stairs = [](int step) { return 50 * kStairMB * std::floor(step / 100.0); };
  const auto one_stair = [](int step) { return step < 100 ? 0 : 200 * kStairMB; };
  const auto slowing = [](int step) { return 200 * kStairMB * (1 - 100.0 / (100 + step)); };
  const auto smaller_stairs = [](int step) {
    return step < 50 ? 0 : step < 100 ? 100 * kStairMB : step < 200 ? 150 * kStairMB : 175 * kStairMB;
  };
  for (const auto& bytes :
       std::vector<std::function<double(int)>>{line, equal_stairs, one_stair, slowing, smaller_stairs})
    EXPECT_FALSE(find_doubling(stairs_of_steps(480, bytes), by_steps(480)));
}

TEST(Doubling, small_process_does_not_speak_for_a_tree_that_did_not_grow) {
  Evidence evidence;
  evidence.steps = by_steps(480);
  evidence.target = stairs_of_steps(480, [](int step) { return 1000 * kStairMB - step * kStairMB; });
  evidence.early = {20, 100};
  evidence.late = {400, 480};
  WatchedProcess process;
  process.there_late = true;
  process.change_bytes = 100 * kStairMB;
  process.series = stairs_of_steps(480, capacity);

  EXPECT_FALSE(next_stair_is_due(std::vector{process}, evidence));
  evidence.target = stairs_of_steps(480, [](int step) { return 1.1 * capacity(step) + step; });
  EXPECT_TRUE(next_stair_is_due(std::vector{process}, evidence));
}

TEST(Doubling, series_that_has_stayed_may_leak_while_the_next_stair_is_due) {
  model::Verdict warmup;
  warmup.kind = model::VerdictKind::Warmup;
  warmup.plateau_bytes = 1;
  const model::Verdict verdict =
      settle(warmup, next_stair_is_due(stairs_of_steps(480, capacity), by_steps(480)));

  EXPECT_TRUE(model::leans_to_leak(verdict));
  EXPECT_FALSE(verdict.plateau_bytes);
  EXPECT_TRUE(verdict.needs);
  model::Verdict leak;
  leak.kind = model::VerdictKind::Leak;
  EXPECT_EQ(settle(leak, next_stair_is_due(stairs_of_steps(480, capacity), by_steps(480))).kind,
            model::VerdictKind::Leak);
}

}  // namespace
}  // namespace lowtide::explain
