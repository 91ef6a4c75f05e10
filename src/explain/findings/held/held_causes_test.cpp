#include "explain/findings/held/held_causes.h"

#include <gtest/gtest.h>

#include <string_view>

namespace lowtide::explain {
namespace {

using model::ProcessRole;

HolderFeatures list_named(std::string_view path) {
  HolderFeatures clues;
  clues.names.add(path);
  clues.role = ProcessRole::Trainer;
  clues.type = "list";
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
  EXPECT_EQ(variable_of(local("__main__.main.history", 1)), "history");
  EXPECT_EQ(variable_of(local("__main__.Trainer.fit.self.seen", 2)), "self.seen");
  EXPECT_EQ(variable_of(local("__main__.main.state[\"a.b\"]", 2)), "state[\"a.b\"]");
  EXPECT_EQ(variable_of(local("__main__.main.history", 9)), "main.history");
}

TEST(HeldCauses, names_alone_distinguish_little_ones) {
  EXPECT_EQ(id_of(list_named("module.validation_step_outputs")), "validation-outputs-kept");
  EXPECT_EQ(id_of(list_named("__main__.run.history")), "logger-history");
  EXPECT_EQ(id_of(list_named("Corpus.examples")), "dataset-cache");
  EXPECT_EQ(id_of(list_named("trainer.best_states")), "checkpoint-copies");
  EXPECT_EQ(id_of(list_named("writer.pending")), "writer-backlog");
  EXPECT_EQ(id_of(list_named("__main__.things")), "holder");
}

TEST(HeldCauses, what_is_held_outweighs_the_name) {
  HolderFeatures losses = list_named("__main__.val_losses");
  losses.keeps_graphs = true;
  EXPECT_EQ(id_of(losses), "loss-graph-kept");

  HolderFeatures callbacks = list_named("logger.history");
  callbacks.keeps_closures = true;
  EXPECT_EQ(id_of(callbacks), "closures-kept");

  HolderFeatures errors = list_named("eval.outputs");
  errors.keeps_tracebacks = true;
  EXPECT_EQ(id_of(errors), "tracebacks-kept");
}

TEST(HeldCauses, tensor_that_is_no_container_is_a_chain) {
  HolderFeatures state = list_named("__main__.h");
  state.type = "torch.Tensor";
  state.is_tensor = true;
  state.has_length = false;
  state.keeps_graphs = true;
  EXPECT_EQ(id_of(state), "hidden-state-chain");
  state.keeps_graphs = false;
  EXPECT_EQ(id_of(state), "chain");

  HolderFeatures optimizer = list_named("__main__.opt");
  optimizer.has_length = false;
  optimizer.keeps_graphs = true;
  EXPECT_EQ(id_of(optimizer), "holder");  // parameters can be differentiated too
}

TEST(HeldCauses, place_names_workers_ranks_and_hooks) {
  HolderFeatures worker = list_named("dataset.cache");
  worker.role = ProcessRole::Worker;
  worker.is_in_getitem = true;
  EXPECT_EQ(id_of(worker), "worker-cache");

  HolderFeatures rank = list_named("__mp_main__.train.grad_log");
  rank.role = ProcessRole::Worker;
  rank.others_are_flat = true;
  EXPECT_EQ(id_of(rank), "one-rank-differs");

  HolderFeatures hook = list_named("__main__.stored");
  hook.is_in_hook = true;
  EXPECT_EQ(id_of(hook), "hook-keeps-activations");

  HolderFeatures hooks = list_named("__main__.model._forward_hooks");
  hooks.keeps_closures = true;
  EXPECT_EQ(id_of(hooks), "hook-keeps-activations");

  HolderFeatures batches = list_named("__main__.vis_batches");
  batches.is_shared = true;
  EXPECT_NE(id_of(batches), "shared-batches-kept") << "without workers no batch comes from one";
  batches.has_workers = true;
  EXPECT_EQ(id_of(batches), "shared-batches-kept");
  batches.is_pinned = true;
  EXPECT_EQ(id_of(batches), "pinned-memory-kept");
}

TEST(HeldCauses, phase_that_keeps_shows_a_validation_of_any_name) {
  HolderFeatures kept = list_named("__main__.things");
  kept.is_of_evaluation = true;
  EXPECT_EQ(id_of(kept), "validation-outputs-kept");
  EXPECT_TRUE(is_evaluation("eval"));
  EXPECT_FALSE(is_evaluation("train"));
}

}  // namespace
}  // namespace lowtide::explain
