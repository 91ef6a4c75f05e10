#include "explain/evidence/snapshots.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::HeldNode;
using model::Snapshot;

HeldNode node(std::string path, std::string type, std::uint64_t kilobytes,
              std::optional<std::uint64_t> length = {}, std::optional<std::size_t> holder = {}) {
  HeldNode out;
  out.path = std::move(path);
  out.type = std::move(type);
  out.retained_bytes = kilobytes << 10U;
  out.length = length;
  out.holder = holder;
  return out;
}

Snapshot snapshot(std::uint64_t kilobytes, std::vector<HeldNode> nodes) {
  Snapshot out;
  out.object_bytes = kilobytes << 10U;
  out.nodes = std::move(nodes);
  return out;
}

std::vector<std::string> paths_of(const model::SnapshotReport& report) {
  std::vector<std::string> out;
  for (const model::HolderReport& holder : report.holders) out.push_back(holder.node.path);
  return out;
}

using Paths = std::vector<std::string>;

TEST(Snapshots, the_list_that_grew_is_named_and_not_what_it_is_in) {
  const auto before =
      snapshot(2000, {node("__main__", "dict", 1500), node("__main__.run", "Run", 1000, {}, 0),
                      node("__main__.run.history", "list", 900, 10, 1)});
  const auto after = snapshot(4000, {node("__main__", "dict", 3500), node("__main__.run", "Run", 3000, {}, 0),
                                     node("__main__.run.history", "list", 2900, 40, 1),
                                     node("__main__.run.history[39]", "dict", 60, 2, 2)});
  const auto report = compare_snapshots(before, after);
  ASSERT_EQ(paths_of(report), Paths{"__main__.run.history"});
  EXPECT_EQ(report.holders[0].growth_length, 30);
  EXPECT_EQ(report.holders[0].growth_bytes, 2000 << 10);
  EXPECT_DOUBLE_EQ(*report.holders[0].share, 1.0);
}

TEST(Snapshots, what_was_there_before_is_no_growth_of_its_new_holder) {
  // A function had it too, and has ended.
  const auto before =
      snapshot(2000, {node("__main__", "dict", 500), node("__main__.history", "list", 1000, 10)});
  const auto after =
      snapshot(3000, {node("__main__", "dict", 2500), node("__main__.history", "list", 2000, 20, 0)});
  const auto report = compare_snapshots(before, after);
  ASSERT_EQ(paths_of(report), Paths{"__main__.history"});
  EXPECT_EQ(report.holders[0].growth_bytes, 1000 << 10);
}

TEST(Snapshots, what_grew_on_a_device_is_shown_beside_host_memory) {
  auto before = snapshot(2000, {node("m", "dict", 300), node("m.kept", "list", 100, 1, 0)});
  auto after = snapshot(2000, {node("m", "dict", 300), node("m.kept", "list", 100, 9, 0)});
  after.device_bytes = 8 << 20;
  after.nodes[0].device_bytes = 8 << 20;
  after.nodes[1].device_bytes = 8 << 20;
  const auto report = compare_snapshots(before, after);
  ASSERT_EQ(paths_of(report), Paths{"m.kept"});
  EXPECT_EQ(report.growth_bytes, 0);
  EXPECT_EQ(report.growth_device_bytes, 8 << 20);
  EXPECT_EQ(report.holders[0].growth_bytes, 0);
  EXPECT_EQ(report.holders[0].growth_device_bytes, 8 << 20);
  EXPECT_DOUBLE_EQ(*report.holders[0].share, 1.0);
}

TEST(Snapshots, batch_on_a_device_does_not_gain_more_than_its_process) {
  auto first =
      snapshot(2000, {node("__main__", "dict", 1500), node("__main__.batch", "torch.Tensor", 1, {}, 0)});
  auto last = first;
  first.device_bytes = 900U << 20U;
  last.device_bytes = 940U << 20U;
  first.nodes[1].device_bytes = 100U << 20U;
  last.nodes[1].device_bytes = 800U << 20U;

  const model::SnapshotReport report = compare_snapshots(first, last);

  ASSERT_EQ(report.holders.size(), 1U);
  EXPECT_EQ(report.holders[0].growth_device_bytes, 40 << 20);
  EXPECT_EQ(report.holders[0].growth_bytes, 0);
}

TEST(Snapshots, two_that_grew_are_both_named) {
  const auto before = snapshot(
      2000, {node("m", "dict", 300), node("m.a", "list", 100, 1, 0), node("m.b", "list", 100, 1, 0)});
  const auto after = snapshot(
      3000, {node("m", "dict", 1300), node("m.a", "list", 700, 1, 0), node("m.b", "list", 500, 1, 0)});
  EXPECT_EQ(paths_of(compare_snapshots(before, after)), (Paths{"m.a", "m.b"}));
}

TEST(Snapshots, dict_whose_entries_grew_alike_is_named_and_not_each_of_them) {
  const auto of_size = [](std::uint64_t first, std::uint64_t second) {
    return snapshot(first + second + 100, {node("__main__.kept", "dict", first + second + 1, 2),
                                           node("__main__.kept[\"a\"]", "list", first, first, 0),
                                           node("__main__.kept[\"b\"]", "list", second, second, 0)});
  };

  EXPECT_EQ(paths_of(compare_snapshots(of_size(100, 50), of_size(1000, 500))), (Paths{"__main__.kept"}));
  EXPECT_EQ(paths_of(compare_snapshots(of_size(100, 50), of_size(1000, 60))),
            (Paths{"__main__.kept[\"a\"]"}));
}

TEST(Snapshots, what_was_too_small_to_be_recorded_before_counts_from_nothing) {
  const auto before = snapshot(2000, {node("m", "dict", 300)});
  const auto after = snapshot(3000, {node("m", "dict", 1300), node("m.fresh", "list", 900, 50, 0)});
  EXPECT_EQ(paths_of(compare_snapshots(before, after)), Paths{"m.fresh"});
}

TEST(Snapshots, dict_that_gained_entries_is_named_and_not_its_entries) {
  std::vector<HeldNode> few{node("__main__.sessions", "dict", 100, 1),
                            node("__main__.sessions[\"a\"]", "tuple", 100, 2, 0)};
  std::vector<HeldNode> many = few;
  many[0] = node("__main__.sessions", "dict", 5000, 50);
  for (int user = 0; user < 49; ++user)
    many.push_back(node("__main__.sessions[\"user-" + std::to_string(user) + "\"]", "tuple", 100, 2, 0));
  EXPECT_EQ(paths_of(compare_snapshots(snapshot(1000, few), snapshot(5900, many))),
            Paths{"__main__.sessions"});

  // The same keys as before: the entry is what grew.
  std::vector<HeldNode> before{node("__main__.history", "dict", 100, 2)};
  std::vector<HeldNode> after{node("__main__.history", "dict", 5000, 2),
                              node("__main__.history[\"features\"]", "list", 4900, 40, 0)};
  EXPECT_EQ(paths_of(compare_snapshots(snapshot(1000, before), snapshot(5900, after))),
            Paths{"__main__.history[\"features\"]"});
}

TEST(Snapshots, an_element_that_is_new_is_not_what_grew) {
  const auto before = snapshot(2000, {node("m.list", "list", 300, 3)});
  const auto after = snapshot(3000, {node("m.list", "list", 1300, 4), node("m.list[3]", "dict", 990, 50, 0)});
  EXPECT_EQ(paths_of(compare_snapshots(before, after)), Paths{"m.list"});
}

TEST(Snapshots, a_list_that_is_made_again_at_every_step_is_the_same_variable) {
  auto first = node("m.best", "list", 300, 3);
  auto second = node("m.best", "list", 900, 9);
  first.address = 1;
  second.address = 2;
  EXPECT_EQ(paths_of(compare_snapshots(snapshot(1000, {first}), snapshot(1600, {second}))), Paths{"m.best"});
}

TEST(Snapshots, an_object_that_got_another_name_is_the_same_object) {
  auto first = node("m.f.x", "list", 300, 3);
  auto second = node("m.g.y", "list", 900, 9);
  first.address = 7;
  second.address = 7;
  EXPECT_EQ(paths_of(compare_snapshots(snapshot(1000, {first}), snapshot(1600, {second}))), Paths{"m.g.y"});
}

TEST(Snapshots, nothing_is_named_where_nothing_grew) {
  const auto before = snapshot(2000, {node("m", "dict", 300), node("m.a", "list", 100, 1, 0)});
  EXPECT_TRUE(compare_snapshots(before, before).holders.empty());
}

TEST(Snapshots, private_parts_of_a_library_object_are_the_object) {
  const auto of_size = [](std::uint64_t kilobytes) {
    return snapshot(kilobytes,
                    {node("__main__.run", "__main__.Run", kilobytes),
                     node("__main__.run.table", "pandas.core.frame.DataFrame", kilobytes, {}, 0),
                     node("__main__.run.table._mgr", "pandas.core.internals.BlockManager", kilobytes, {}, 1),
                     node("__main__.run.table._mgr.<tuple>[0]", "numpy.ndarray", kilobytes / 2, {}, 2),
                     node("__main__.run.table._mgr.<tuple>[1]", "numpy.ndarray", kilobytes / 2, {}, 2)});
  };
  const OwnModules own{"__main__"};
  const auto report = compare_snapshots(of_size(1000), of_size(5000), &own);

  ASSERT_EQ(paths_of(report), Paths{"__main__.run.table"});
  EXPECT_EQ(report.holders[0].growth_bytes, 4000 << 10);
}

TEST(Snapshots, object_of_the_user_that_a_library_object_keeps_is_named) {
  const auto of_size = [](std::uint64_t kilobytes) {
    const std::uint64_t kept = kilobytes - 100;
    return snapshot(kilobytes,
                    {node("__main__.trainer", "lightning.pytorch.Trainer", kilobytes),
                     node("__main__.trainer", "dict", kilobytes, {}, 0),
                     node("__main__.trainer.callbacks", "list", kept, {}, 1),
                     node("__main__.trainer.callbacks[1]", "__main__.BestWeights", kept, {}, 2),
                     node("__main__.trainer.callbacks[1].ranked", "list", kept, kept, 3),
                     node("__main__.trainer._connector", "lightning.pytorch.Connector", 100, {}, 1)});
  };
  const OwnModules own{"__main__"};

  EXPECT_EQ(paths_of(compare_snapshots(of_size(1000), of_size(5000), &own)),
            Paths{"__main__.trainer.callbacks[1].ranked"});
}

TEST(Snapshots, object_of_the_user_in_a_private_part_is_named) {
  const auto of_size = [](std::uint64_t kilobytes) {
    return snapshot(kilobytes, {node("__main__.trainer", "lightning.pytorch.Trainer", kilobytes),
                                node("__main__.trainer._parts", "list", kilobytes, 1, 0),
                                node("__main__.trainer._parts[0]", "__main__.Probe", kilobytes, {}, 1),
                                node("__main__.trainer._parts[0].seen", "list", kilobytes, kilobytes, 2)});
  };
  const OwnModules own{"__main__"};

  EXPECT_EQ(paths_of(compare_snapshots(of_size(1000), of_size(5000), &own)),
            Paths{"__main__.trainer._parts[0].seen"});
}

TEST(Snapshots, private_attribute_of_a_class_of_the_user_is_named) {
  const auto of_size = [](std::uint64_t kilobytes) {
    return snapshot(kilobytes, {node("__main__.run", "train.Run", kilobytes),
                                node("__main__.run._kept", "list", kilobytes, kilobytes, 0)});
  };
  const OwnModules own{"__main__", "train"};

  EXPECT_EQ(paths_of(compare_snapshots(of_size(1000), of_size(5000), &own)), Paths{"__main__.run._kept"});
}

}  // namespace
}  // namespace lowtide::explain
