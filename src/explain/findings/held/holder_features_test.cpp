#include "explain/findings/held/holder_features.h"

#include <gtest/gtest.h>

#include "explain/findings/held/held_causes.h"
#include "model/cause_types.h"

namespace lowtide::explain {
namespace {

// One variable of a trainer, in two snapshots.
class Held {
 public:
  explicit Held(std::string type) {
    grown_.holder.node.path = "__main__.trainer.deferred";
    grown_.holder.node.type = std::move(type);
    holders_.process.role = model::ProcessRole::Trainer;
  }

  // It was too small to be listed in the first of all snapshots; `first` is the next one.
  void list_later(std::uint64_t first_length, std::uint64_t last_length) {
    grown_.holder.node.length = first_length;
    first_.nodes = {grown_.holder.node};
    grown_.holder.node.length = last_length;
    last_.nodes = {grown_.holder.node};
    grown_.first_listed = &first_;
    grown_.last_listed = &last_;
  }
  // Below the variable.
  void hold(std::string_view type, std::uint64_t first, std::uint64_t last) {
    first_.contents.push_back({0, std::string(type), first, 100 * first});
    last_.contents.push_back({0, std::string(type), last, 100 * last});
  }
  // Elsewhere in the process.
  void count(std::string_view type, std::uint64_t first, std::uint64_t last) {
    first_.types.push_back({std::string(type), first, 0});
    last_.types.push_back({std::string(type), last, 0});
  }
  void hold_graph_functions(std::uint64_t first, std::uint64_t last) {
    const std::string type(model::cause_types::kGraphFunction);
    first_.contents.push_back({0, type, 0, 0, first});
    last_.contents.push_back({0, type, 0, 0, last});
  }
  // The object that the variable is an attribute of.
  void own_by(const std::string& type) {
    for (model::Snapshot* snapshot : {&first_, &last_}) {
      model::HeldNode owner;
      owner.path = "__main__.trainer";
      owner.type = type;
      snapshot->nodes.insert(snapshot->nodes.begin(), owner);
      snapshot->nodes.back().holder = 0;
      for (model::HeldType& content : snapshot->contents) ++content.node;
    }
  }
  void gain(std::int64_t bytes) { grown_.holder.growth_bytes = bytes; }
  void keep_in_phase(const std::string& name, std::uint64_t bytes) {
    model::PhaseReport phase;
    phase.phase.name = name;
    phase.phase.kept_bytes = bytes;
    report_.phases.push_back(phase);
  }
  void retain(std::uint64_t bytes) { grown_.holder.node.retained_bytes = bytes; }
  void add_tensors(std::uint64_t count, std::uint64_t bytes) {
    model::TensorGrowth growth;
    growth.tensors.count = count;
    growth.tensors.bytes = bytes;
    growth.growth_count = static_cast<std::int64_t>(count);
    growth.growth_bytes = static_cast<std::int64_t>(bytes);
    holders_.difference.tensors.push_back(growth);
  }

  // Each of them a part of a storage; `storages` of these exist.
  void add_views(std::uint64_t count, std::uint64_t bytes, std::uint64_t storages,
                 std::uint64_t storage_bytes) {
    add_tensors(count, bytes);
    holders_.difference.tensors.back().tensors.storages = storages;
    holders_.difference.tensors.back().tensors.storage_bytes = storage_bytes;
  }

  [[nodiscard]] std::string_view cause() const {
    const Evidence evidence;
    const std::vector<WatchedProcess> processes;
    const Sites sites;
    const std::vector<ProcessHolders> all;
    SourceFiles sources;
    const Scene scene{evidence, processes, sites, all, report_.short_lived, sources, report_};
    return cause_of(clues_of(scene, holders_, grown_)).id;
  }

 private:
  model::Snapshot first_;
  model::Snapshot last_;
  HeldGrowth grown_;
  ProcessHolders holders_;
  model::Report report_;
};

TEST(HolderFeatures, closures_are_counted_from_the_first_snapshot_that_lists_the_variable) {
  Held list("list");
  list.list_later(20, 300);
  list.hold(model::cause_types::kCell, 20, 580);
  list.hold(model::cause_types::kFunction, 20, 300);

  EXPECT_EQ(list.cause(), "closures-kept");
}

TEST(HolderFeatures, functions_elsewhere_in_the_process_are_not_its_closures) {
  Held list("list");
  list.list_later(20, 300);
  list.count(model::cause_types::kCell, 5'020, 5'580);
  list.count(model::cause_types::kFunction, 90'020, 90'300);
  list.hold("numpy.ndarray", 20, 300);

  EXPECT_EQ(list.cause(), "holder");
}

TEST(HolderFeatures, tensor_as_large_as_what_it_retains_grew_itself) {
  Held tensor("torch.Tensor");
  tensor.retain(155'300'000);
  tensor.add_tensors(1, 155'303'936);

  EXPECT_EQ(tensor.cause(), "growing-tensor");
}

TEST(HolderFeatures, tensors_under_no_grad_have_no_graph) {
  Held list("list");
  list.list_later(20, 300);
  list.hold("torch.Tensor", 20, 300);
  list.add_tensors(280, 300'000'000);
  EXPECT_EQ(list.cause(), "holder");

  list.hold_graph_functions(100, 1'500);
  EXPECT_EQ(list.cause(), "loss-graph-kept");
}

TEST(HolderFeatures, small_views_that_keep_their_storages_are_views) {
  Held list("list");
  list.list_later(0, 280);
  list.hold("torch.Tensor", 0, 280);
  list.retain(280'000'000);
  list.add_views(280, 1'000'000, 280, 280'000'000);
  EXPECT_EQ(list.cause(), "views-kept");

  list.hold_graph_functions(0, 280);
  EXPECT_EQ(list.cause(), "loss-graph-kept") << "a copy would keep the graph as well";
}

TEST(HolderFeatures, views_of_one_storage_do_not_keep_one_each) {
  Held list("list");
  list.list_later(0, 280);
  list.hold("torch.Tensor", 0, 280);
  list.retain(280'000'000);
  list.add_views(280, 1'000'000, 1, 280'000'000);
  EXPECT_EQ(list.cause(), "holder");
}

TEST(HolderFeatures, container_of_a_queue_is_a_queue) {
  Held items("collections.deque");
  items.list_later(20, 300);
  items.hold("numpy.ndarray", 20, 300);
  EXPECT_EQ(items.cause(), "holder");

  items.own_by("queue.Queue");
  EXPECT_EQ(items.cause(), "writer-backlog");
}

TEST(HolderFeatures, class_of_the_job_that_is_called_a_queue_is_none) {
  Held done("list");
  done.list_later(20, 300);
  done.hold("numpy.ndarray", 20, 300);
  done.own_by("__main__.WorkQueue");
  EXPECT_EQ(done.cause(), "holder");
}

TEST(HolderFeatures, evaluation_is_blamed_only_if_other_phases_kept_little) {
  Held list("list");
  list.list_later(20, 300);
  list.gain(100'000'000);
  list.keep_in_phase("eval", 90'000'000);
  EXPECT_EQ(list.cause(), "validation-outputs-kept");
  list.keep_in_phase("train", 60'000'000);
  EXPECT_EQ(list.cause(), "holder") << "the list may be what the training keeps";
}

TEST(HolderFeatures, event_loop_with_timers_keeps_what_they_have) {
  Held loop("asyncio.unix_events._UnixSelectorEventLoop");
  loop.list_later(0, 0);
  loop.hold("bytes", 30, 1'050);
  EXPECT_EQ(loop.cause(), "holder");
  loop.hold(model::cause_types::kTimer, 60, 2'037);
  EXPECT_EQ(loop.cause(), "timers-kept");

  Held timers("list");
  timers.list_later(0, 2'037);
  timers.hold(model::cause_types::kTimer, 60, 2'037);
  EXPECT_EQ(timers.cause(), "holder") << "a list of the job's own";
}

TEST(HolderFeatures, class_of_the_owner_shows_a_logger) {
  Held rows("list");
  rows.list_later(20, 300);
  rows.own_by("__main__.RunLogger");
  EXPECT_EQ(rows.cause(), "logger-history");

  Held pending("list");  // logging.root.handlers[1].pending
  pending.list_later(20, 300);
  pending.own_by("obs.FlightRecorder");
  EXPECT_EQ(pending.cause(), "holder") << "every handler belongs to a logger of the logging module";
}

}  // namespace
}  // namespace lowtide::explain
