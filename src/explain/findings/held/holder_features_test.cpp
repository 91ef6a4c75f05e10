#include "explain/findings/held/holder_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/findings/held/held_causes.h"
#include "model/cause_types.h"

namespace lowtide::explain {
namespace {

using testing::HasSubstr;

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
  struct Part {
    std::uint64_t length;
    std::uint64_t bytes;
  };
  // An attribute of the variable that the snapshots list by itself.
  void list_part(const std::string& name, const std::string& type, Part first, Part last) {
    for (auto [snapshot, part] : {std::pair(&first_, first), std::pair(&last_, last)}) {
      model::HeldNode node;
      node.path = grown_.holder.node.path + name;
      node.type = type;
      node.length = part.length;
      node.retained_bytes = part.bytes;
      node.holder = snapshot->nodes.size() - 1;
      snapshot->nodes.push_back(node);
    }
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

  [[nodiscard]] std::string_view cause() const { return proven().id; }
  [[nodiscard]] std::string advice() const { return proven().fix; }

 private:
  [[nodiscard]] const HeldCause& proven() const {
    const Evidence evidence;
    const std::vector<WatchedProcess> processes;
    const Sites sites;
    const std::vector<ProcessHolders> all;
    SourceFiles sources;
    const Scene scene{evidence, processes, sites, all, report_.short_lived, sources, report_};
    return cause_of(clues_of(scene, holders_, grown_));
  }

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

TEST(HolderFeatures, tasks_that_wait_in_an_executor) {
  Held pool("concurrent.futures.thread.ThreadPoolExecutor");
  pool.list_later(0, 0);
  pool.hold("numpy.ndarray", 20, 300);
  EXPECT_EQ(pool.cause(), "holder") << "its threads may keep something";
  pool.hold(model::cause_types::kThreadTask, 20, 300);
  EXPECT_EQ(pool.cause(), "writer-backlog");

  Held queue("_queue.SimpleQueue");
  queue.list_later(0, 0);
  EXPECT_THAT(queue.advice(), HasSubstr("queue.Queue(maxsize"));
  queue.hold(model::cause_types::kThreadTask, 20, 300);
  EXPECT_THAT(queue.advice(), HasSubstr("submit a task only when few are waiting"))
      << "it is that of an executor";
}

TEST(HolderFeatures, hooks_that_are_not_removed) {
  for (const char* name : {"._backward_hooks", "._forward_hooks"}) {
    Held layer("torch.nn.modules.linear.Linear");
    layer.list_later(0, 0);
    layer.gain(280'000'000);
    EXPECT_EQ(layer.cause(), "holder");
    layer.list_part(name, "collections.OrderedDict", {20, 20'000'000}, {300, 300'000'000});
    EXPECT_EQ(layer.cause(), "hooks-kept") << name;
  }
  Held modules("dict");  // of the whole model
  modules.list_later(2, 2);
  modules.gain(280'000'000);
  modules.list_part("[\"body\"]._forward_hooks", "collections.OrderedDict", {20, 20'000'000},
                    {300, 300'000'000});
  EXPECT_EQ(modules.cause(), "hooks-kept");

  Held layer("torch.nn.modules.linear.Linear");
  layer.list_later(0, 0);
  layer.gain(280'000'000);
  layer.list_part("._forward_hooks", "collections.OrderedDict", {2, 8'000}, {2, 300'000'000});
  EXPECT_EQ(layer.cause(), "holder") << "no hook came";
}

TEST(HolderFeatures, objects_that_have_a_function_are_no_closures) {
  Held jobs("dict");
  jobs.list_later(20, 300);
  jobs.hold(model::cause_types::kCell, 20, 580);
  jobs.hold(model::cause_types::kFunction, 20, 300);
  jobs.hold("__main__.Job", 20, 300);
  EXPECT_EQ(jobs.cause(), "holder");
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
  EXPECT_EQ(list.cause(), "holder") << "a service that only predicts";
  list.keep_in_phase("train", 1'000'000);
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

TEST(HolderFeatures, logger_of_the_standard_library_has_no_entries) {
  Held handlers("list");
  handlers.list_later(20, 300);
  handlers.own_by("logging.RootLogger");
  EXPECT_EQ(handlers.cause(), "holder");
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
