#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {
namespace {

using testing::HasSubstr;

// What is reported about a dict that gained 200 MB in a job that has settled.
Findings settled_findings(const std::string& path, std::int64_t growth_length) {
  HeldGrowth grown;
  grown.holder.node.path = path;
  grown.holder.node.type = "dict";
  grown.holder.node.length = 230;
  grown.holder.growth_length = growth_length;
  grown.holder.growth_bytes = 200'000'000;
  grown.gains = 3;
  grown.of_process = 0.9;
  ProcessHolders process;
  process.snapshots = 4;
  process.to_s = 30;
  process.grown = {grown};

  const Evidence evidence;
  const std::vector<WatchedProcess> processes;
  const Sites sites;
  SourceFiles sources;
  model::Report report;
  report.verdict.kind = model::VerdictKind::Warmup;
  Findings out;
  find_settled_holding({evidence, processes, sites, {process}, report.short_lived, sources, report}, out);
  return out;
}

TEST(NamedHolders, dict_that_grew_is_named) {
  const Findings findings = settled_findings("__main__.cache", 200);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence.at(0),
              HasSubstr("`cache` gained 200 items (200 MB) in 30.0 s (4 snapshots), never shrank"));
}

TEST(NamedHolders, module_whose_variables_grew_is_not_a_holder) {
  EXPECT_TRUE(settled_findings("__main__", 2).empty());
}

TEST(NamedHolders, module_that_gets_more_and_more_variables_is_a_holder) {
  EXPECT_EQ(settled_findings("__main__", 200).size(), 1U);
}

}  // namespace
}  // namespace lowtide::explain
