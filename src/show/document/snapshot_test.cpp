#include <gtest/gtest.h>

#include "show/snapshot.h"

namespace lowtide::show {
namespace {

TEST(SnapshotText, what_is_held_on_devices_has_a_column_of_its_own) {
  model::SnapshotReport report;
  report.has_earlier = true;
  report.growth_device_bytes = 210'000'000;
  report.snapshot.has_holders = true;
  report.snapshot.device_bytes = 247'000'000;
  model::HolderReport kept;
  kept.node.path = "__main__.kept";
  kept.node.type = "list";
  kept.node.device_bytes = 231'000'000;
  kept.growth_bytes = 14'000;
  kept.growth_device_bytes = 210'000'000;
  kept.share = 0.995;
  model::HolderReport host = kept;
  host.node.path = "__main__.names";
  host.node.device_bytes = 0;
  host.growth_device_bytes = 0;
  report.holders = {kept, host};
  const std::string text = to_text(report, {.width = 80});
  EXPECT_NE(text.find("247 MB on devices"), std::string::npos) << text;
  EXPECT_NE(text.find("  +14.0 kB  +210 MB on devices  >99%    __main__.kept (list)\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace lowtide::show
