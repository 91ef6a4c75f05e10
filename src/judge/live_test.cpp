#include "judge/live.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace lowtide::judge {
namespace {

using model::VerdictKind;

// The kinds that were said, one after the other, without repetition.
std::vector<VerdictKind> said(int samples, const std::function<double(int)>& mb_at) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 10);
  LiveVerdict live;
  std::vector<VerdictKind> kinds = {live.verdict().kind};
  for (int at = 0; at < samples; ++at) {
    live.add({1.0 * at, 10.0 * at, static_cast<std::uint64_t>((mb_at(at) + noise(random)) * 1e6)});
    if (at % 5 == 0 && live.verdict().kind != kinds.back()) kinds.push_back(live.verdict().kind);
  }
  return kinds;
}

TEST(LiveVerdict, a_stable_run_is_called_stable_once) {
  EXPECT_EQ(said(600, [](int) { return 6000; }),
            (std::vector{VerdictKind::Inconclusive, VerdictKind::Stable}));
}

TEST(LiveVerdict, a_long_warm_up_is_never_called_a_leak) {
  const auto kinds = said(900, [](int at) { return 4000 + 30 * std::min(at, 200); });
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), VerdictKind::Leak), 0);
  EXPECT_EQ(kinds.back(), VerdictKind::Warmup);
}

TEST(LiveVerdict, a_second_warm_up_after_a_flat_part_is_never_called_a_leak) {
  const auto kinds = said(900, [](int at) { return 6000 + 8 * std::clamp(at - 300, 0, 120); });
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), VerdictKind::Leak), 0);
}

TEST(LiveVerdict, a_leak_is_said_and_not_taken_back) {
  EXPECT_EQ(said(900, [](int at) { return 6000 + 2.0 * at; }),
            (std::vector{VerdictKind::Inconclusive, VerdictKind::Leak}));
}

TEST(LiveVerdict, a_leak_that_starts_late_is_found_after_it_was_called_stable) {
  const auto kinds = said(900, [](int at) { return 6000 + 3.0 * std::max(0, at - 400); });
  EXPECT_EQ(kinds.back(), VerdictKind::Leak);
}

}  // namespace
}  // namespace lowtide::judge
