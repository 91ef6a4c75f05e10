#include "record/tables/kept_snapshot.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "model/cause_types.h"
#include "record/reader.h"
#include "record/test_ticks.h"
#include "record/writer.h"

namespace lowtide::record {
namespace {

model::HeldNode node(std::string path, std::uint64_t bytes, std::optional<std::size_t> holder = {}) {
  model::HeldNode out;
  out.path = std::move(path);
  out.type = "list";
  out.retained_bytes = bytes;
  out.holder = holder;
  return out;
}

std::vector<RecordedSnapshot> written_and_read(const model::Snapshot& snapshot) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  writer.add(make_tick(1, 1));
  writer.add_snapshot(model::ProcessId{1}, snapshot);
  writer.close();
  auto opened = Recording::open(folder.path("run.db"));
  return opened.ok() ? opened.value().snapshots() : std::vector<RecordedSnapshot>{};
}

TEST(KeptSnapshot, snapshots_are_read_as_they_were_written) {
  model::Snapshot snapshot;
  snapshot.at_s = 12.5;
  snapshot.python = "3.12";
  snapshot.objects = 1000;
  snapshot.object_bytes = 90'000;
  snapshot.storage_bytes = 5'000;
  snapshot.device_bytes = 6'000;
  snapshot.pause_s = 0.004;
  snapshot.whole_s = 0.2;
  snapshot.is_whole = true;
  snapshot.is_exact = true;
  snapshot.is_at_end = true;
  snapshot.nodes = {node("__main__", 80'000), node("__main__.kept", 70'000, 0)};
  snapshot.nodes[1].length = 44;
  snapshot.nodes[1].device_bytes = 96;
  snapshot.nodes[1].cache = model::CacheKind::Bounded;
  snapshot.nodes[1].bound = 256;
  snapshot.nodes[1].file = "train.py";
  snapshot.nodes[1].line = 7;
  snapshot.nodes[1].depth = 2;
  snapshot.tensors = {{"cuda:0", "float32", {2, 3}, true, 4, 96, 4, 96}};
  snapshot.types = {{"dict", 5, 300}};
  const auto read = written_and_read(snapshot);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].process, model::ProcessId{1});
  const model::Snapshot& back = read[0].snapshot;
  EXPECT_DOUBLE_EQ(back.at_s, 12.5);
  EXPECT_EQ(back.object_bytes, 90'000U);
  EXPECT_TRUE(back.is_whole && back.is_exact && back.is_at_end && !back.has_torch);
  ASSERT_EQ(back.nodes.size(), 2U);
  EXPECT_EQ(back.nodes[1].path, "__main__.kept");
  EXPECT_EQ(back.nodes[1].length, 44U);
  EXPECT_EQ(back.nodes[1].device_bytes, 96U);
  EXPECT_EQ(back.device_bytes, 6'000U);
  EXPECT_EQ(back.nodes[1].holder, 0U);
  EXPECT_EQ(back.nodes[1].cache, model::CacheKind::Bounded);
  EXPECT_EQ(back.nodes[1].bound, 256U);
  EXPECT_EQ(back.nodes[1].line, 7U);
  EXPECT_EQ(back.nodes[1].depth, 2U);
  ASSERT_EQ(back.tensors.size(), 1U);
  EXPECT_EQ(back.tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(back.types[0].count, 5U);
}

TEST(KeptSnapshot, types_that_tell_a_cause_stay_however_small) {
  model::Snapshot snapshot;
  snapshot.is_whole = true;
  for (int at = 0; at < 100; ++at) snapshot.types.push_back({"type" + std::to_string(at), 10, 100'000});
  snapshot.types.push_back({"traceback", 300, 19'200});
  const auto read = written_and_read(snapshot);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_LT(read[0].snapshot.types.size(), 60U);
  EXPECT_EQ(read[0].snapshot.types.back().type, "traceback");
  EXPECT_EQ(read[0].snapshot.types.back().count, 300U);
}

TEST(KeptSnapshot, largest_nodes_stay_and_find_their_holder) {
  const auto kept =
      largest_nodes({node("m", 1000), node("m.small", 10, 0), node("m.small.large", 900, 1)}, 2).nodes;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].path, "m.small.large");
  EXPECT_EQ(kept[1].holder, 0U);
}

TEST(KeptSnapshot, elements_of_a_list_do_not_crowd_out_variables) {
  std::vector<model::HeldNode> nodes = {node("m.list", 100'000)};
  for (int at = 0; at < 50; ++at) nodes.push_back(node("m.list[" + std::to_string(at) + "]", 2000, 0));
  nodes.push_back(node("m.other", 1500));
  const auto kept = largest_nodes(nodes, 60).nodes;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].path, "m.other");
}

TEST(KeptSnapshot, contents_of_a_node_that_is_left_out_are_those_of_its_holder) {
  model::Snapshot snapshot;
  snapshot.is_whole = snapshot.has_holders = true;
  snapshot.nodes = {node("m.list", 100'000)};
  for (std::size_t at = 0; at < 50; ++at) {
    snapshot.nodes.push_back(node("m.list[" + std::to_string(at) + "]", 2000, 0));
    snapshot.contents.push_back({at + 1, "torch.Tensor", 2, 1900, 0});
    snapshot.contents.push_back({at + 1, at % 2 == 0 ? "AddBackward0" : "MulBackward0", 0, 0, 3});
  }
  snapshot.contents.push_back({0, "tuple", 50, 3000, 0});
  for (int at = 0; at < 9; ++at)
    snapshot.contents.push_back({0, "large" + std::to_string(at), 1, 200'000, 0});
  snapshot.contents.push_back({0, "traceback", 3, 200, 0});
  snapshot.contents.push_back({99, "nowhere", 1, 1, 0});

  const auto read = written_and_read(snapshot);

  ASSERT_EQ(read.size(), 1U);
  const auto& contents = read[0].snapshot.contents;
  ASSERT_EQ(contents.size(), 8U);  // six large types, and two that identify a cause
  EXPECT_EQ(contents[6].type, "traceback");
  EXPECT_EQ(contents[6].count, 3U);
  EXPECT_EQ(contents[7].type, model::cause_types::kGraphFunction);
  EXPECT_EQ(contents[7].graph_functions, 150U);
  snapshot.contents.resize(101);
  const auto fewer = written_and_read(snapshot);
  ASSERT_EQ(fewer[0].snapshot.contents.size(), 3U);
  EXPECT_EQ(fewer[0].snapshot.contents[0].type, "torch.Tensor");
  EXPECT_EQ(fewer[0].snapshot.contents[0].count, 100U);
  EXPECT_EQ(fewer[0].snapshot.contents[0].bytes, 95'000U);
}

TEST(KeptSnapshot, uses_of_a_node_that_is_left_out_are_those_of_its_holder) {
  using model::TensorUse;
  model::Snapshot snapshot;
  snapshot.is_whole = snapshot.has_holders = true;
  snapshot.cuda_allocated_bytes = 77;
  snapshot.cuda_reserved_bytes = 88;
  snapshot.nodes = {node("m.model", 100'000), node("m.model[0]", 2000, 0)};
  snapshot.uses = {
      {0, TensorUse::Parameter, 1, 100}, {1, TensorUse::Parameter, 2, 200}, {{}, TensorUse::Saved, 0, 7}};

  const auto read = written_and_read(snapshot);

  ASSERT_EQ(read.size(), 1U);
  const auto& uses = read[0].snapshot.uses;
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(model::bytes_of_use(read[0].snapshot, TensorUse::Saved), 7U);
  EXPECT_FALSE(uses[0].node);
  EXPECT_EQ(uses[1].node, 0U);
  EXPECT_EQ(uses[1].host_bytes, 3U);
  EXPECT_EQ(uses[1].device_bytes, 300U);
  EXPECT_EQ(read[0].snapshot.cuda_allocated_bytes, 77U);
  EXPECT_EQ(read[0].snapshot.cuda_reserved_bytes, 88U);
}

TEST(KeptSnapshot, blocks_of_gpus_are_read_also_where_the_walk_was_not_finished) {
  model::Snapshot snapshot;
  snapshot.gpu_blocks = {.allocator = "native", .steps = 100, .recorded_steps = 8, .no_stacks = "why"};
  snapshot.gpu_pools = {{.name = "default", .reserved_bytes = 5, .segment_sizes = 3, .is_expandable = true}};
  snapshot.gpu_lines = {{.file = "train.py", .line = 30, .function = "step", .bytes = 4096, .blocks = 2},
                        {.kind = model::GpuLineKind::BeforeStep, .bytes = 7, .is_at_peak = true}};

  snapshot.gpu_peaks = {{.bytes = 99, .steps = 12}};

  const auto read = written_and_read(snapshot);

  ASSERT_EQ(read.size(), 1U);
  const model::Snapshot& back = read[0].snapshot;
  ASSERT_EQ(back.gpu_peaks.size(), 1U);
  EXPECT_EQ(back.gpu_peaks[0].steps, 12U);
  EXPECT_EQ(back.gpu_blocks.allocator, "native");
  EXPECT_EQ(back.gpu_blocks.recorded_steps, 8U);
  EXPECT_EQ(back.gpu_blocks.no_stacks, "why");
  ASSERT_EQ(back.gpu_pools.size(), 1U);
  EXPECT_EQ(back.gpu_pools[0].name, "default");
  EXPECT_EQ(back.gpu_pools[0].segment_sizes, 3U);
  EXPECT_TRUE(back.gpu_pools[0].is_expandable);
  ASSERT_EQ(back.gpu_lines.size(), 2U);
  EXPECT_EQ(back.gpu_lines[0].line, 30U);
  EXPECT_EQ(back.gpu_lines[0].blocks, 2U);
  EXPECT_EQ(back.gpu_lines[1].kind, model::GpuLineKind::BeforeStep);
  EXPECT_TRUE(back.gpu_lines[1].is_at_peak);
}

TEST(KeptSnapshot, rows_that_make_no_sense_are_left_out) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    writer.add(make_tick(1, 1));
    writer.add_snapshot(model::ProcessId{1}, {});
    writer.close();
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("run.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   "INSERT INTO snapshot VALUES(7, 5, 'x', 'x', 1, 1, 1, 1, 1, 1, '', 1, 1, 1, '', 1, 1, 1);"
                   "INSERT INTO snapshot_node VALUES(NULL, 99, 'a', 'b', 1, 1, 1, 1, 1, '', 0, 0, '', 0, 0);"
                   "INSERT INTO snapshot_node VALUES(NULL, 1, 'a', 'b', -1, 'x', -9, -9, 9e99, 'odd', -1, "
                   "77, '', -4, -4);"
                   "INSERT INTO snapshot_content VALUES(NULL, 1, 88, 'a', 1, 1, 1);"
                   "INSERT INTO snapshot_use VALUES(NULL, 1, 88, 'parameter', 1, 1);"
                   "INSERT INTO snapshot_use VALUES(NULL, 1, 0, 'odd', 1, 1);",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  const auto read = opened.value().snapshots();
  ASSERT_EQ(read.size(), 1U);
  ASSERT_EQ(read[0].snapshot.nodes.size(), 1U);
  EXPECT_FALSE(read[0].snapshot.nodes[0].length);
  EXPECT_FALSE(read[0].snapshot.nodes[0].holder);
  EXPECT_TRUE(read[0].snapshot.contents.empty());
  EXPECT_TRUE(std::none_of(read[0].snapshot.uses.begin(), read[0].snapshot.uses.end(),
                           [](const model::HeldUse& use) { return use.node == 88U; }));
}

}  // namespace
}  // namespace lowtide::record
