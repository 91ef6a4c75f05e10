#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {
namespace {

using testing::HasSubstr;

// What is reported about a dict that gained 200 MB.
Findings findings_of(const std::string& path, std::int64_t growth_length, model::VerdictKind verdict,
                     const std::string& type = "dict") {
  HeldGrowth grown;
  grown.holder.node.path = path;
  grown.holder.node.type = type;
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
  report.verdict.kind = verdict;
  const std::vector<ProcessHolders> holders{process};
  const Scene scene{evidence, processes, sites, holders, report.short_lived, sources, report};
  Findings out;
  verdict == model::VerdictKind::Leak ? find_holding(scene, out) : find_settled_holding(scene, out);
  return out;
}

Findings settled_findings(const std::string& path, std::int64_t growth_length) {
  return findings_of(path, growth_length, model::VerdictKind::Warmup);
}

std::string advice_about(const std::string& path, const std::string& type = "dict") {
  const Findings findings = findings_of(path, 200, model::VerdictKind::Leak, type);
  return findings.size() == 1 ? findings[0].fix : "";
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

TEST(NamedHolders, variable_of_a_library_is_not_the_users_to_change) {
  EXPECT_THAT(advice_about("__main__.cache"), HasSubstr("remove entries from `cache`"));
  EXPECT_THAT(advice_about("weakref.finalize._registry"), HasSubstr("call or `detach()` each finalizer"));
  EXPECT_THAT(advice_about("logging.Logger.manager.loggerDict"), HasSubstr("keeps every logger"));
  EXPECT_THAT(advice_about("__main__.batches", "itertools.cycle"), HasSubstr("while True: yield from"));
  EXPECT_THAT(advice_about("threading._dangling"), HasSubstr("`threading._dangling` belongs to threading"));
}

}  // namespace
}  // namespace lowtide::explain
