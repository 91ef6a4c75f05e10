#include <gtest/gtest.h>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {
namespace {

// The finding about spikes of 160 MB, of a process in which a variable of a function held 75 MB.
std::string_view spikes_with(const std::string& path) {
  const Evidence evidence;
  const std::vector<WatchedProcess> processes;
  const Sites sites;
  SourceFiles sources;
  model::Report report;
  report.verdict.kind = model::VerdictKind::Spikes;
  report.verdict.spike_bytes = 160'000'000;
  std::vector<ProcessHolders> holders(1);
  HeldGrowth& grown = holders[0].grown.emplace_back();
  grown.holder.node.path = path;
  grown.holder.node.file = "/data/job/train.py";
  grown.holder.node.depth = 1;
  grown.holder.node.retained_bytes = 75'000'000;
  Findings out;
  find_shape({evidence, processes, sites, holders, report.short_lived, sources, report}, out);
  return out.empty() ? "" : std::string_view(out.front().id);
}

TEST(Shape, spikes_that_a_variable_of_an_evaluation_holds_are_of_the_evaluation) {
  EXPECT_EQ(spikes_with("__main__.evaluate.preds"), "validation-spikes");
  EXPECT_EQ(spikes_with("__main__.Trainer.validate.outputs"), "validation-spikes");
}

TEST(Shape, the_name_of_a_variable_alone_makes_no_evaluation) {
  EXPECT_EQ(spikes_with("__main__.main.eval_outputs"), "spikes-recover");
}

}  // namespace
}  // namespace lowtide::explain
