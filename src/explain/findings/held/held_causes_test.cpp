#include "explain/findings/held/held_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace lowtide::explain {
namespace {

using model::ProcessRole;

HolderFeatures a_list() {
  HolderFeatures clues;
  clues.role = ProcessRole::Trainer;
  clues.has_length = true;
  return clues;
}

std::string_view id_of(const HolderFeatures& clues) {
  return cause_of(clues).id;
}

TEST(IdentifierWords, are_split_at_dots_underscores_and_capitals) {
  IdentifierWords words;
  words.add("__main__.RunLogger.val_history[3].HTMLWriter");

  EXPECT_TRUE(words.has_any({"main"}));
  EXPECT_TRUE(words.has_any({"logger"}));
  EXPECT_TRUE(words.has_any({"history"}));
  EXPECT_TRUE(words.has_any({"html"}));
  EXPECT_TRUE(words.has_any({"writer"}));
  EXPECT_FALSE(words.has_any({"val_history", "log", "Logger"}));
}

TEST(VariableOf, is_what_stands_in_the_code) {
  const auto local = [](std::string path, std::uint32_t depth) {
    model::HeldNode node;
    node.path = std::move(path);
    node.depth = depth;
    node.file = "/data/job/train.py";
    return node;
  };
  model::HeldNode global = local("__main__.history", 1);
  global.file.clear();

  EXPECT_EQ(variable_of(global), "history");
  global.path = R"(__main__.model._modules["encoder"]._modules["0"]._parameters["weight"])";
  EXPECT_EQ(variable_of(global), "model.encoder[0].weight");
  global.path = R"(__main__.model._modules["1"]._buffers)";
  EXPECT_EQ(variable_of(global), "model[1]._buffers");
  EXPECT_EQ(variable_of(local("__main__.main.history", 1)), "history");
  EXPECT_EQ(variable_of(local("__main__.Trainer.fit.self.seen", 2)), "self.seen");
  EXPECT_EQ(variable_of(local("__main__.main.state[\"a.b\"]", 2)), "state[\"a.b\"]");
  EXPECT_EQ(variable_of(local("__main__.main.history", 9)), "main.history");
}

TEST(VariableOf, variable_of_a_function_has_its_name_in_the_function) {
  model::HeldNode node;
  node.path = "__main__.Crops.decode.__closure__[\"memory\"][3]";
  EXPECT_EQ(variable_of(node), "memory[3]");
  EXPECT_EQ(owning_function(node)->name, "decode");
  EXPECT_FALSE(owning_function(node)->is_default);
  node.path = "helpers.lookup.__defaults__[\"memo\"]";
  EXPECT_EQ(variable_of(node), "memo");
  EXPECT_TRUE(owning_function(node)->is_default);
  node.path = "__main__.handlers[2].__closure__[\"rows\"]";
  EXPECT_EQ(owning_function(node)->name, "");
  node.path = "__main__.memo";
  EXPECT_FALSE(owning_function(node));
}

TEST(HeldCauses, container_in_a_default_value_is_shared_by_all_calls) {
  HolderFeatures memo = a_list();
  memo.is_default = true;
  EXPECT_EQ(id_of(memo), "default-value-kept");
  memo.has_length = false;
  EXPECT_EQ(id_of(memo), "holder");
}

TEST(HeldCauses, list_of_unknown_objects_gets_no_story) {
  const HeldCause& cause = cause_of(a_list());

  EXPECT_EQ(std::string_view(cause.id), "holder");
  EXPECT_STREQ(cause.what, "");
}

TEST(HeldCauses, what_is_held_comes_before_the_code_around_it) {
  HolderFeatures losses = a_list();
  losses.stack.evaluation = "evaluate";
  EXPECT_EQ(id_of(losses), "validation-outputs-kept");
  losses.keeps_graphs = true;
  EXPECT_EQ(id_of(losses), "loss-graph-kept");

  HolderFeatures callbacks = a_list();
  callbacks.owner.add("__main__.RunLogger");
  EXPECT_EQ(id_of(callbacks), "logger-history");
  callbacks.keeps_closures = true;
  EXPECT_EQ(id_of(callbacks), "closures-kept");

  HolderFeatures errors = a_list();
  errors.is_of_evaluation = true;
  errors.keeps_tracebacks = true;
  EXPECT_EQ(id_of(errors), "tracebacks-kept");
}

TEST(HeldCauses, validate_may_check_the_input) {
  HolderFeatures rows = a_list();
  rows.stack.evaluation = "validate_row";
  EXPECT_EQ(id_of(rows), "holder");
  rows.keeps_tensors = true;
  EXPECT_EQ(id_of(rows), "validation-outputs-kept");
}

TEST(HeldCauses, simple_queue_has_no_limit_to_set) {
  HolderFeatures queue = a_list();
  queue.is_queue = queue.is_simple_queue = true;
  EXPECT_EQ(id_of(queue), "writer-backlog");
  EXPECT_THAT(cause_of(queue).fix, testing::HasSubstr("a SimpleQueue has no limit"));
}

TEST(HeldCauses, tensor_with_a_graph_is_a_chain) {
  HolderFeatures state;
  state.is_tensor = true;
  EXPECT_EQ(id_of(state), "holder");
  state.keeps_graphs = true;
  EXPECT_EQ(id_of(state), "hidden-state-chain");

  HolderFeatures optimizer;
  optimizer.keeps_graphs = true;
  EXPECT_EQ(id_of(optimizer), "holder");  // not a container
}

TEST(HeldCauses, place_names_workers_ranks_and_hooks) {
  HolderFeatures worker = a_list();
  worker.role = ProcessRole::Worker;
  EXPECT_EQ(id_of(worker), "holder") << "a worker may keep anything";
  worker.stack.is_in_getitem = true;
  EXPECT_EQ(id_of(worker), "dataset-cache") << "any class may have a __getitem__";
  EXPECT_STREQ(cause_of(worker).what, "each call of `__getitem__` adds to it");
  worker.stack.is_fetched = true;
  EXPECT_EQ(id_of(worker), "worker-cache");
  worker.role = ProcessRole::Trainer;
  EXPECT_STREQ(cause_of(worker).what, "a dataset keeps every sample that it returned");

  HolderFeatures rank = a_list();
  rank.role = ProcessRole::Worker;
  rank.others_are_flat = true;
  EXPECT_EQ(id_of(rank), "one-rank-differs");

  HolderFeatures hook = a_list();
  hook.stack.is_in_hook = true;
  EXPECT_EQ(id_of(hook), "holder") << "it holds no tensors";
  hook.keeps_tensors = true;
  EXPECT_EQ(id_of(hook), "hook-keeps-activations");
  hook.keeps_views = true;
  EXPECT_EQ(id_of(hook), "views-kept");

  HolderFeatures batches = a_list();
  batches.is_shared = batches.keeps_tensors = true;
  EXPECT_NE(id_of(batches), "shared-batches-kept") << "without workers no batch comes from one";
  batches.has_workers = true;
  EXPECT_EQ(id_of(batches), "shared-batches-kept");
  batches.is_pinned = true;
  EXPECT_EQ(id_of(batches), "pinned-memory-kept");
}

TEST(HeldCauses, ordered_dicts_of_tensors_are_state_dicts_if_their_copy_is_on_the_stack) {
  HolderFeatures outputs = a_list();
  outputs.keeps_tensors = outputs.keeps_state_dicts = true;
  EXPECT_EQ(id_of(outputs), "holder");
  outputs.stack.copies_state = true;
  EXPECT_EQ(id_of(outputs), "checkpoint-copies");
}

TEST(HeldCauses, phase_that_keeps_shows_a_validation_of_any_name) {
  HolderFeatures kept = a_list();
  kept.is_of_evaluation = true;
  EXPECT_EQ(id_of(kept), "validation-outputs-kept");
  kept.has_length = false;
  EXPECT_EQ(id_of(kept), "holder") << "an optimizer cannot be cleared";
  EXPECT_TRUE(is_evaluation("eval"));
  EXPECT_FALSE(is_evaluation("train"));
}

TEST(HeldCauses, cache_without_a_limit_is_no_dataset) {
  HolderFeatures cache = a_list();
  cache.is_unbounded = true;
  EXPECT_EQ(id_of(cache), "unbounded-cache");
}

}  // namespace
}  // namespace lowtide::explain
