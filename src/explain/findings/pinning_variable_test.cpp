#include "explain/findings/pinning_variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cause_types.h"

namespace lowtide::explain {
namespace {

using testing::Contains;
using testing::HasSubstr;

// `total = total + loss`: a tensor that keeps a few small graph nodes per step.
HeldGrowth growing_total() {
  HeldGrowth out;
  out.holder.node.path = "__main__.train.total";
  out.holder.node.type = "torch.Tensor";
  out.holder.node.file = "/data/job/train.py";
  out.holder.node.depth = 1;
  out.holder.growth_bytes = 6'180'000;
  out.holder.growth_objects = 11'288;
  out.holder.share = 0.9;
  out.gains = 3;
  static const model::Snapshot kLast = [&] {
    model::Snapshot snapshot;
    snapshot.nodes = {out.holder.node};
    snapshot.contents = {{0, std::string(model::cause_types::kGraphFunction), 0, 0, 11'288}};
    return snapshot;
  }();
  out.first_listed = out.last_listed = &kLast;
  return out;
}

model::Finding blamed(const HeldGrowth& grown) {
  const Evidence evidence;
  const std::vector<WatchedProcess> processes;
  const Sites sites;
  SourceFiles sources;
  const model::Report report;
  std::vector<ProcessHolders> holders(1);
  holders[0].process.id = model::ProcessId{7};
  holders[0].snapshots = 4;
  holders[0].grown = {grown};
  model::Finding out;
  out.evidence = {"99% of what it gained is freed memory"};
  out.excluded = {{"live objects", model::Mechanism::LiveObjects, 0.01},
                  {"copy-on-write", model::Mechanism::CopyOnWrite, 0.0}};
  blame_pinning_variable({evidence, processes, sites, holders, report.short_lived, sources, report},
                         holders[0].process, out);
  return out;
}

TEST(PinningVariable, is_the_one_that_gained_most_of_the_objects) {
  const model::Finding finding = blamed(growing_total());

  EXPECT_EQ(finding.variable, "total");
  EXPECT_THAT(finding.cause, HasSubstr("probably because `total` keeps small objects of autograd graphs"));
  EXPECT_THAT(finding.evidence,
              Contains(HasSubstr("`total` gained 11,288 objects (6.18 MB) in 4 snapshots")));
  EXPECT_EQ(finding.hint, "total = total.detach()");
}

TEST(PinningVariable, its_live_objects_are_no_longer_ruled_out) {
  const model::Finding finding = blamed(growing_total());

  ASSERT_EQ(finding.excluded.size(), 1U);
  EXPECT_EQ(finding.excluded[0].mechanism, model::Mechanism::CopyOnWrite);
}

TEST(PinningVariable, is_not_named_without_proof_that_it_grows) {
  HeldGrowth grown = growing_total();
  grown.losses = 1;
  EXPECT_EQ(blamed(grown).variable, "") << "it also shrank";
  grown = growing_total();
  grown.gains = 1;
  EXPECT_EQ(blamed(grown).variable, "") << "two snapshots may be chance";
  grown = growing_total();
  grown.holder.share = 0.2;
  EXPECT_EQ(blamed(grown).variable, "") << "others gained more";
  grown = growing_total();
  grown.holder.growth_objects = 3;
  EXPECT_EQ(blamed(grown).variable, "") << "three objects divide nothing";
}

}  // namespace
}  // namespace lowtide::explain
