#include "show/rows/sites.h"

#include <gtest/gtest.h>

namespace lowtide::show {
namespace {

model::SiteReport site_of(std::int64_t pid, std::uint32_t line, std::uint64_t live_bytes) {
  model::SiteReport site;
  site.pid = pid;
  site.verdict.kind = model::VerdictKind::Stable;
  site.live_bytes = live_bytes;
  model::Frame frame;
  frame.language = model::FrameLanguage::Python;
  frame.file = "/job/worker.py";
  frame.line = line;
  site.frames.push_back(frame);
  return site;
}

TEST(SiteRows, line_that_fares_alike_in_several_processes_is_one_row) {
  model::Report report;
  report.sites = {site_of(1, 7, 900), site_of(2, 4, 400), site_of(3, 4, 400), site_of(4, 4, 400)};

  const auto rows = site_rows(report, 5);

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].place, "worker.py:4");
  EXPECT_EQ(rows[0].live, "1.20 kB");
  EXPECT_EQ(rows[0].where, "3 processes");
  EXPECT_EQ(rows[1].where, "pid 1");
}

TEST(SiteRows, line_that_leaks_in_one_process_alone_has_its_own_row) {
  model::Report report;
  report.sites = {site_of(1, 4, 400), site_of(2, 4, 400)};
  report.sites[1].verdict.kind = model::VerdictKind::Leak;

  EXPECT_EQ(site_rows(report, 5).size(), 2U);
}

}  // namespace
}  // namespace lowtide::show
