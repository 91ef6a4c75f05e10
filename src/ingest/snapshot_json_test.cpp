#include "ingest/snapshot_json.h"

#include <gtest/gtest.h>

namespace lowtide::ingest {
namespace {

TEST(SnapshotJson, a_snapshot_is_read) {
  const auto read =
      parse_snapshot_json(R"({"snapshot": {"pid": 7, "python": "3.12", "at_s": 5.5, "objects": 3,
      "object_bytes": 90, "is_whole": true, "since_s": null},
      "holders": [{"path": "m.a", "type": "list", "length": 4, "retained_bytes": 80, "holder": null},
                  {"path": "m.a[0]", "type": "dict", "retained_bytes": 8, "holder": 0, "cache": "bounded", "bound": 9}],
      "tensors": [{"device": "cpu", "dtype": "float32", "shape": [2, 3], "count": 1, "bytes": 24}],
      "types": [{"type": "dict", "count": 1, "bytes": 64}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().pid, 7);
  EXPECT_TRUE(read.value().is_whole);
  ASSERT_EQ(read.value().nodes.size(), 2U);
  EXPECT_EQ(read.value().nodes[0].length, 4U);
  EXPECT_EQ(read.value().nodes[1].holder, 0U);
  EXPECT_EQ(read.value().nodes[1].cache, model::CacheKind::Bounded);
  EXPECT_EQ(read.value().tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(SnapshotJson, values_of_the_wrong_kind_are_not_believed) {
  const auto read = parse_snapshot_json(R"({"snapshot": {"pid": "x", "objects": -3, "python": 4},
      "holders": [7, {"path": 9, "length": -1, "retained_bytes": 1e300, "holder": 5}], "tensors": {}, "types": null})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().objects, 0U);
  ASSERT_EQ(read.value().nodes.size(), 1U);
  EXPECT_FALSE(read.value().nodes[0].length);
  EXPECT_FALSE(read.value().nodes[0].holder);
}

TEST(SnapshotJson, what_is_no_snapshot_is_refused) {
  for (const char* text : {"", "[]", "{}", R"({"snapshot": 1})", R"({"snapshot": {)", "null",
                           R"({"snapshot": {"since_s": 5}})"}) {
    EXPECT_FALSE(parse_snapshot_json(text)) << text;
  }
}

}  // namespace
}  // namespace lowtide::ingest
