#include "explain/findings/held/stack_features.h"

#include <gtest/gtest.h>

#include <deque>

namespace lowtide::explain {
namespace {

model::Frame python(std::string function, std::string file) {
  return {.language = model::FrameLanguage::Python, .function = std::move(function), .file = std::move(file)};
}

model::Frame own(std::string function) {
  return python(std::move(function), "/data/job/train.py");
}

const model::Frame kModule =
    python("_call_impl", "/usr/lib/python3/dist-packages/torch/nn/modules/module.py");
const model::Frame kFetch =
    python("fetch", "/usr/lib/python3/dist-packages/torch/utils/data/_utils/fetch.py");
const model::Frame kStart = python("run", "/usr/lib/python3.11/multiprocessing/process.py");

class Stacks {
 public:
  // Innermost frame first.
  void add(std::vector<model::Frame> frames, double change_bytes, model::ProcessId process = {}) {
    model::SiteInfo& info = evidence_.emplace_back().info;
    info.frames = std::move(frames);
    info.process = process;
    SiteGroup group;
    group.process.id = process;
    group.members = {&evidence_.back()};
    group.change_bytes = change_bytes;
    sites_.groups.push_back(std::move(group));
  }
  [[nodiscard]] StackFeatures features(double gained_bytes) const {
    return stack_features(sites_, {}, gained_bytes);
  }
  [[nodiscard]] bool run_same_code() const {
    model::ProcessInfo one;
    model::ProcessInfo other;
    other.id = kOther;
    return explain::run_same_code(sites_, one, other);
  }
  static constexpr model::ProcessId kOther{7};

 private:
  std::deque<SiteEvidence> evidence_;
  Sites sites_;
};

TEST(StackFeatures, hook_is_what_the_module_itself_calls) {
  Stacks hook;
  hook.add({own("store"), own("on_output"), kModule, own("forward"), kModule, own("main")}, 1e8);
  EXPECT_TRUE(hook.features(1e8).is_in_hook);

  Stacks helper;
  helper.add({own("encode"), own("forward"), kModule, own("main")}, 1e8);
  EXPECT_FALSE(helper.features(1e8).is_in_hook);
}

TEST(StackFeatures, function_that_apply_calls_is_no_hook) {
  Stacks apply;
  apply.add({own("record"), python("apply", kModule.file), python("apply", kModule.file), own("main")}, 1e8);
  EXPECT_FALSE(apply.features(1e8).is_in_hook);
}

TEST(StackFeatures, getitem_of_a_dataset_is_called_by_the_loader) {
  Stacks table;
  table.add({own("Table.__getitem__"), own("main")}, 1e8);
  EXPECT_TRUE(table.features(1e8).is_in_getitem);
  EXPECT_FALSE(table.features(1e8).is_fetched);

  Stacks dataset;
  dataset.add({own("__getitem__"), kFetch, own("main")}, 1e8);
  EXPECT_TRUE(dataset.features(1e8).is_fetched);
}

TEST(StackFeatures, every_stack_that_may_be_behind_the_variable_counts) {
  Stacks two;
  two.add({own("Table.__getitem__"), own("evaluate")}, 1e8);
  two.add({own("train_step")}, 6e7);
  EXPECT_FALSE(two.features(6e7).is_in_getitem) << "the variable of train_step is not filled in __getitem__";
  EXPECT_EQ(two.features(6e7).evaluation, "");

  Stacks one;
  one.add({own("Table.__getitem__"), own("Trainer.evaluate")}, 1e8);
  one.add({own("train_step")}, 1e6);
  EXPECT_TRUE(one.features(1e8).is_in_getitem);
  EXPECT_EQ(one.features(1e8).evaluation, "evaluate");
}

TEST(StackFeatures, evaluation_of_something_else_is_none) {
  Stacks policy;
  policy.add({own("Policy.evaluate_actions"), own("main")}, 1e8);
  EXPECT_EQ(policy.features(1e8).evaluation, "");
  Stacks epoch;
  epoch.add({own("Trainer.run_validation_epoch"), own("main")}, 1e8);
  EXPECT_EQ(epoch.features(1e8).evaluation, "run_validation_epoch");
}

TEST(StackFeatures, optimizer_on_the_stack_is_training) {
  Stacks step;
  step.add({python("step", "/site-packages/torch/optim/adamw.py"), own("fit")}, 1e8);
  EXPECT_TRUE(step.features(1e8).is_training);
  Stacks other;
  other.add({own("fit")}, 1e8);
  EXPECT_FALSE(other.features(1e8).is_training);
}

TEST(StackFeatures, copies_of_a_state_are_made_by_deepcopy) {
  Stacks copies;
  copies.add({python("clone", "/site-packages/torch/_tensor.py"),
              python("deepcopy", "/usr/lib/python3.11/copy.py"), own("main")},
             1e8);
  EXPECT_TRUE(copies.features(1e8).copies_state);
  Stacks outputs;
  outputs.add({own("forward"), kModule, own("main")}, 1e8);
  EXPECT_FALSE(outputs.features(1e8).copies_state);
}

TEST(SameCode, is_a_function_that_both_run_after_their_start) {
  Stacks spawned;
  spawned.add({own("train"), kStart, own("main")}, 1e8);
  spawned.add({own("step"), own("train"), kStart, own("main")}, 0, Stacks::kOther);
  EXPECT_TRUE(spawned.run_same_code());

  Stacks different;
  different.add({own("produce"), kStart, own("main")}, 1e8);
  different.add({own("consume"), kStart, own("main")}, 0, Stacks::kOther);
  EXPECT_FALSE(different.run_same_code()) << "both have main() from before the fork";

  Stacks forked;
  forked.add({own("child"), own("main")}, 1e8);
  forked.add({own("main")}, 0, Stacks::kOther);
  EXPECT_FALSE(forked.run_same_code());
}

}  // namespace
}  // namespace lowtide::explain
