#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {
namespace {

// A process that gained 400 MB in 100 s, of which its snapshots show 300 MB in objects.
struct GraphJob {
  std::vector<WatchedProcess> processes = std::vector<WatchedProcess>(1);
  std::vector<ProcessHolders> holders = std::vector<ProcessHolders>(1);
  SiteEvidence info;
  Sites sites;

  explicit GraphJob(std::int64_t functions) {
    for (int at_s = 0; at_s <= 100; ++at_s) {
      SeriesPoint point;
      point.at_s = at_s;
      point.low_bytes = 100'000'000 + static_cast<std::uint64_t>(at_s) * 4'000'000;
      processes[0].series.push_back(point);
    }
    ProcessHolders& held = holders[0];
    held.snapshots = 6;
    held.to_s = 100;
    held.difference.growth_bytes = 300'000'000;
    held.difference.types = {{{"MulBackward0", 0, 0}, functions, 0}};
  }

  // The graphs are made in a line that assigns a variable from itself.
  void add_line() {
    info.info.frames = {{.language = model::FrameLanguage::Python,
                         .function = "forward",
                         .file = "/data/job/train.py",
                         .line = 1}};
    SiteGroup group;
    group.members = {&info};
    sites.groups = {group};
  }

  [[nodiscard]] Findings find() const {
    const Evidence evidence;
    SourceFiles sources([](const std::string&) { return std::optional<std::string>("x = x + layer(x)\n"); });
    model::Report report;
    report.verdict.kind = model::VerdictKind::Leak;
    Findings out;
    find_shared_graph({evidence, processes, sites, holders, report.short_lived, sources, report}, out);
    return out;
  }
};

TEST(SharedGraph, is_found_where_functions_came_and_no_variable_holds_them) {
  const Findings found = GraphJob(160'000).find();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, model::FindingId("loss-graph-kept")) << "no line shows which variable is carried";
  EXPECT_EQ(found[0].severity, model::Severity::High);
  EXPECT_THAT(found[0].evidence[0], testing::HasSubstr("gained 160,000 nodes in 6 snapshots"));
}

TEST(SharedGraph, variable_that_is_assigned_from_itself_carries_it_unless_tensors_are_kept) {
  GraphJob job(160'000);
  job.add_line();
  EXPECT_EQ(job.find().at(0).id, model::FindingId("hidden-state-chain"));
  EXPECT_EQ(job.find().at(0).variable, "x");

  model::TensorGrowth losses;
  losses.tensors.requires_grad = true;
  losses.growth_count = 280;
  job.holders[0].difference.tensors = {losses};
  EXPECT_EQ(job.find().at(0).id, model::FindingId("loss-graph-kept")) << "two lists keep the losses";
  EXPECT_TRUE(job.find().at(0).variable.empty());
}

TEST(SharedGraph, is_not_claimed_where_few_functions_came) {
  EXPECT_TRUE(GraphJob(50).find().empty());
}

TEST(SharedGraph, is_not_claimed_where_a_variable_holds_the_growth) {
  GraphJob job(160'000);
  HeldGrowth list;
  list.holder.node.path = "__main__.losses";
  list.of_process = 0.5;
  job.holders[0].grown = {list};
  EXPECT_TRUE(job.find().empty());
}

TEST(SharedGraph, is_not_claimed_where_objects_explain_little) {
  GraphJob job(160'000);
  job.holders[0].difference.growth_bytes = 10'000'000;
  EXPECT_TRUE(job.find().empty());
}

}  // namespace
}  // namespace lowtide::explain
