#include "observe/agents/snapshot_records.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

// The child's side, in memory.
class Walk {
 public:
  Walk() : bytes_(sizeof(wire::SnapshotHeader)) {
    header().magic = wire::kSnapshotMagic;
    header().version = wire::kSnapshotVersion;
    header().python_version = 0x030b;
    header().parts = static_cast<std::uint32_t>(wire::SnapshotPart::Walked) |
                     static_cast<std::uint32_t>(wire::SnapshotPart::Complete);
    header().used_bytes = bytes_.size();
  }

  wire::SnapshotHeader& header() { return *reinterpret_cast<wire::SnapshotHeader*>(bytes_.data()); }

  template <typename Record>
  void put(wire::SnapshotRecordKind kind, Record record, std::string_view texts) {
    const std::size_t bytes = (sizeof(record) + texts.size() + 7) / 8 * 8;
    record.record = {kind, static_cast<std::uint32_t>(bytes)};
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    std::memcpy(bytes_.data() + at, &record, sizeof(record));
    std::memcpy(bytes_.data() + at + sizeof(record), texts.data(), texts.size());
    header().used_bytes = bytes_.size();
  }

  void put_node(std::string_view path, std::uint64_t bytes, std::uint32_t holder) {
    wire::NodeRecord record{};
    record.length = 7;
    record.retained_bytes = bytes;
    record.holder = holder;
    record.type_bytes = 4;
    record.path_bytes = static_cast<std::uint32_t>(path.size());
    put(wire::SnapshotRecordKind::Node, record, "list" + std::string(path));
  }

  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

TEST(SnapshotRecords, every_kind_is_read) {
  Walk walk;
  wire::TypeRecord type{};
  type.count = 3;
  type.bytes = 300;
  type.name_bytes = 4;
  walk.put(wire::SnapshotRecordKind::Type, type, "dict");
  wire::TensorsRecord tensors{};
  tensors.count = 2;
  tensors.bytes = 800;
  tensors.requires_grad = 1;
  tensors.dimensions = 2;
  tensors.shape[0] = 10;
  tensors.shape[1] = 10;
  tensors.device_bytes = 6;
  tensors.dtype_bytes = 13;
  walk.put(wire::SnapshotRecordKind::Tensors, tensors, "cuda:0torch.float32");
  walk.put_node("__main__.run", 1000, wire::kNoHolder);
  walk.put_node("__main__.run.history", 900, 0);
  const auto read = parse_snapshot(walk.bytes());
  ASSERT_TRUE(read);
  const model::Snapshot& snapshot = read.value();
  EXPECT_TRUE(snapshot.is_whole);
  EXPECT_EQ(snapshot.python, "3.11");
  ASSERT_EQ(snapshot.types.size(), 1U);
  EXPECT_EQ(snapshot.types[0].type, "dict");
  ASSERT_EQ(snapshot.tensors.size(), 1U);
  EXPECT_EQ(snapshot.tensors[0].device, "cuda:0");
  EXPECT_EQ(snapshot.tensors[0].dtype, "float32");
  EXPECT_EQ(snapshot.tensors[0].shape, (std::vector<std::int64_t>{10, 10}));
  ASSERT_EQ(snapshot.nodes.size(), 2U);
  EXPECT_FALSE(snapshot.nodes[0].holder);
  EXPECT_EQ(snapshot.nodes[1].holder, 0U);
  EXPECT_EQ(snapshot.nodes[1].path, "__main__.run.history");
}

TEST(SnapshotRecords, uses_of_tensors_have_their_node_or_none) {
  Walk walk;
  walk.put_node("__main__.model", 1000, wire::kNoHolder);
  const auto put_use = [&](std::uint32_t node, wire::TensorUse use) {
    wire::UseRecord record{};
    record.node = node;
    record.use = use;
    record.host_bytes = 3;
    record.device_bytes = 5;
    walk.put(wire::SnapshotRecordKind::Use, record, "");
  };
  put_use(0, wire::TensorUse::Parameter);
  put_use(7, wire::TensorUse::Gradient);  // such a node is not there
  put_use(0, static_cast<wire::TensorUse>(9));
  put_use(0, wire::TensorUse::Saved);
  const auto read = parse_snapshot(walk.bytes());

  ASSERT_TRUE(read);
  const auto& uses = read.value().uses;
  ASSERT_EQ(uses.size(), 2U) << "an unknown use ends the reading";
  EXPECT_EQ(uses[0].use, model::TensorUse::Parameter);
  EXPECT_EQ(uses[0].node, 0U);
  EXPECT_FALSE(uses[1].node);
  EXPECT_EQ(model::bytes_of_use(read.value(), model::TensorUse::Gradient), 8U);
}

TEST(SnapshotRecords, a_walk_that_died_gives_what_it_had) {
  Walk walk;
  walk.put_node("__main__.a", 1000, wire::kNoHolder);
  walk.put_node("__main__.b", 1000, wire::kNoHolder);
  walk.bytes().resize(walk.bytes().size() - 8);
  walk.header().parts = 0;
  const auto read = parse_snapshot(walk.bytes());
  ASSERT_TRUE(read);
  EXPECT_FALSE(read.value().is_whole);
  EXPECT_EQ(read.value().nodes.size(), 1U);
}

TEST(SnapshotRecords, a_holder_that_comes_later_is_none) {
  Walk walk;
  walk.put_node("__main__.a", 1000, 1);
  walk.put_node("__main__.b", 1000, 99);
  const auto read = parse_snapshot(walk.bytes());
  ASSERT_TRUE(read);
  EXPECT_FALSE(read.value().nodes[0].holder);
  EXPECT_FALSE(read.value().nodes[1].holder);
}

TEST(SnapshotRecords, texts_that_are_longer_than_their_record_end_the_reading) {
  Walk walk;
  wire::TypeRecord type{};
  type.count = 1;
  type.name_bytes = 4000;
  walk.put(wire::SnapshotRecordKind::Type, type, "dict");
  walk.put_node("__main__.a", 1000, wire::kNoHolder);
  const auto read = parse_snapshot(walk.bytes());
  ASSERT_TRUE(read);
  EXPECT_TRUE(read.value().types.empty());
  EXPECT_TRUE(read.value().nodes.empty());
}

TEST(SnapshotRecords, escape_sequences_of_the_target_do_not_pass) {
  Walk walk;
  walk.put_node("__main__[\"\x1b[2J\"]", 1000, wire::kNoHolder);
  const auto read = parse_snapshot(walk.bytes());
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().nodes[0].path.find('\x1b'), std::string::npos);
}

TEST(SnapshotRecords, what_is_no_walk_is_refused) {
  EXPECT_FALSE(parse_snapshot({}));
  Walk walk;
  walk.header().version = 9;
  EXPECT_FALSE(parse_snapshot(walk.bytes()));
}

}  // namespace
}  // namespace lowtide::observe
