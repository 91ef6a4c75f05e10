#include "explain/settle/small_growth.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::VerdictKind;

model::Verdict leak_of(std::uint64_t gained_bytes) {
  model::Verdict verdict;
  verdict.kind = VerdictKind::Leak;
  verdict.samples = 300;
  verdict.floor = {375'000'000, 375'000'000 + gained_bytes};
  return verdict;
}

VerdictKind kind_of(const model::Verdict& verdict, double tree_bytes = 400e6) {
  return settle(verdict, ignore_small_growth(verdict, tree_bytes)).kind;
}

TEST(SmallGrowth, hundredth_of_the_tree_does_not_matter_and_more_does) {
  EXPECT_EQ(kind_of(leak_of(3'900'000)), VerdictKind::Stable);
  EXPECT_EQ(kind_of(leak_of(4'100'000)), VerdictKind::Leak);
}

TEST(SmallGrowth, large_trees_excuse_no_more_than_16_megabytes) {
  EXPECT_EQ(kind_of(leak_of(15'000'000), 60e9), VerdictKind::Stable);
  EXPECT_EQ(kind_of(leak_of(17'000'000), 60e9), VerdictKind::Leak);
}

TEST(SmallGrowth, spikes_are_still_named_and_excuse_a_twentieth_of_one) {
  model::Verdict spiky = leak_of(6'000'000);
  spiky.spikes = 20;
  spiky.spike_bytes = 134'000'000;
  EXPECT_EQ(kind_of(spiky), VerdictKind::Spikes);

  spiky.floor.last_bytes += 1'000'000;
  EXPECT_EQ(kind_of(spiky), VerdictKind::Leak);

  spiky.spikes = 2;  // two are an accident, and excuse nothing
  spiky.floor.last_bytes -= 1'000'000;
  EXPECT_EQ(kind_of(spiky), VerdictKind::Leak);
}

}  // namespace
}  // namespace lowtide::explain
