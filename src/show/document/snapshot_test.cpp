#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "show/snapshot.h"

namespace lowtide::show {
namespace {

model::SnapshotReport grown_in_ten_seconds() {
  model::SnapshotReport report;
  report.has_earlier = true;
  report.since_s = 10;
  report.growth_bytes = 50'000'000;
  report.snapshot.pid = 7;
  report.snapshot.python = "3.12";
  report.snapshot.objects = 1000;
  report.snapshot.object_bytes = 80'000'000;
  report.snapshot.has_holders = true;
  report.snapshot.is_exact = true;
  report.snapshot.is_whole = true;
  model::HolderReport kept;
  kept.node.path = "__main__.kept";
  kept.node.type = "list";
  kept.node.length = 210;
  kept.node.retained_bytes = 60'000'000;
  kept.growth_length = 200;
  kept.growth_bytes = 49'000'000;
  kept.share = 0.98;
  report.holders = {kept};
  report.types = {{{"bytes", 300, 60'000'000}, 200, 50'000'000},
                  {{"dict", 400, 9'000'000}, 0, 0},
                  {{"str", 100, 1'000'000}, -3, -1'000}};
  return report;
}

TEST(SnapshotText, gpu_memory_has_a_column_of_its_own) {
  model::SnapshotReport report = grown_in_ten_seconds();
  report.growth_device_bytes = 210'000'000;
  report.snapshot.device_bytes = 247'000'000;
  report.holders[0].node.device_bytes = 231'000'000;
  report.holders[0].growth_device_bytes = 210'000'000;
  const std::string text = to_text(report, {.width = 120});
  EXPECT_NE(text.find("247 MB on GPUs"), std::string::npos) << text;
  EXPECT_NE(text.find("growth    on GPUs  "), std::string::npos) << text;
  EXPECT_NE(text.find("+49.0 MB  +210 MB  "), std::string::npos) << text;
}

TEST(SnapshotText, every_table_has_headings) {
  model::SnapshotReport report = grown_in_ten_seconds();
  const std::string difference = to_text(report, {.width = 100});
  EXPECT_NE(difference.find("growth    rate        share  items (growth)  variable\n"), std::string::npos)
      << difference;
  EXPECT_NE(difference.find("growth    memory   count (growth)  type\n"), std::string::npos) << difference;
  report.has_earlier = false;
  const std::string single = to_text(report, {.width = 100});
  EXPECT_NE(single.find("holds    share  items  variable\n"), std::string::npos) << single;
  EXPECT_NE(single.find("memory   count  type\n"), std::string::npos) << single;
}

TEST(SnapshotText, difference_shows_its_rate) {
  const std::string text = to_text(grown_in_ten_seconds(), {.width = 100});
  EXPECT_NE(text.find("+50.0 MB in 10.0 s (+5.00 MB/s)"), std::string::npos) << text;
  EXPECT_NE(text.find("+49.0 MB  +4.90 MB/s  "), std::string::npos) << text;
}

TEST(SnapshotText, types_that_did_not_change_are_left_out_of_a_difference) {
  const std::string text = to_text(grown_in_ten_seconds(), {.width = 100});
  EXPECT_NE(text.find("+50.0 MB  60.0 MB  300 (+200)"), std::string::npos) << text;
  EXPECT_NE(text.find("-1.00 kB"), std::string::npos) << text;
  EXPECT_EQ(text.find("dict"), std::string::npos) << text;
  EXPECT_LT(text.find(" bytes\n"), text.find(" str\n")) << "ordered by the growth that is shown";
}

TEST(SnapshotText, watching_takes_at_most_four_lines_with_a_rate) {
  model::SnapshotReport report = grown_in_ten_seconds();
  report.holders.resize(8, report.holders[0]);
  const std::string text = to_watch_text(report, {.width = 100});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_EQ(text.find("80.0 MB, +50.0 MB in 10.0 s (+5.00 MB/s)\n"), 0U) << text;
  EXPECT_NE(text.find("+4.90 MB/s  210 (+200) items  __main__.kept (list)"), std::string::npos) << text;
  EXPECT_EQ(to_watch_text(report, {.width = 100, .brief = true}), text) << "--quiet changes nothing here";
}

}  // namespace
}  // namespace lowtide::show
