#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {
namespace {

using testing::HasSubstr;

// What is reported about two flat workers of 104 MB (PSS) each.
model::Finding two_workers(std::uint64_t own_bytes, std::uint64_t rss_bytes) {
  const Evidence evidence;
  const Sites sites;
  const std::vector<ProcessHolders> holders;
  SourceFiles sources;
  const model::Report report;
  std::vector<WatchedProcess> processes(2);
  for (WatchedProcess& process : processes) {
    process.report.info.pid = 7;
    process.report.info.role = model::ProcessRole::Worker;
    process.report.series.verdict.kind = model::VerdictKind::Stable;
    process.report.bytes.pss_bytes = 104'000'000;
    process.report.bytes.rss_bytes = rss_bytes;
    process.report.ends.late_bytes = own_bytes;
    process.there_late = true;
  }
  Findings out;
  find_overhead({evidence, processes, sites, holders, report.short_lived, sources, report}, out);
  return out.empty() ? model::Finding{} : out.front();
}

TEST(Overhead, workers_that_share_nearly_everything_are_not_worth_removing) {
  const model::Finding finding = two_workers(9'500'000, 298'000'000);

  EXPECT_EQ(finding.fix, "none needed; each of them has only 9.50 MB of its own");
  EXPECT_THAT(finding.cause, HasSubstr("ps and top show 596 MB for 2 workers"));
  EXPECT_THAT(finding.cause, HasSubstr("it is 208 MB"));
}

TEST(Overhead, fewer_workers_save_what_each_has_of_its_own) {
  const model::Finding finding = two_workers(100'000'000, 110'000'000);

  EXPECT_THAT(finding.fix, HasSubstr("fewer workers would save memory"));
  EXPECT_EQ(finding.cause, "") << "RSS is close to the truth";
}

}  // namespace
}  // namespace lowtide::explain
