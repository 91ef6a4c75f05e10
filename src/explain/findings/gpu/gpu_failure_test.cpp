#include "explain/findings/gpu/gpu_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/python_stack.h"

namespace lowtide::explain {
namespace {

using testing::ElementsAre;
using testing::Field;

constexpr std::uint64_t kGB = 1'000'000'000;

model::HeldNode node(std::string path, std::string type, std::uint64_t gb,
                     std::optional<std::size_t> holder) {
  model::HeldNode out;
  out.path = std::move(path);
  out.type = std::move(type);
  out.device_bytes = gb * kGB;
  out.holder = holder;
  return out;
}

// A training step that failed in its forward pass.
Evidence failed_at(double at_s) {
  model::Snapshot snapshot;
  snapshot.at_s = at_s;
  snapshot.device_bytes = 146 * kGB;
  snapshot.nodes = {node("__main__", "dict", 25, {}),
                    node("__main__.shards", "dict", 21, 0),
                    node("__main__.model", "__main__.Net", 2, 0),
                    node("__main__.model._modules", "dict", 2, 2),
                    node("__main__.optimizer", "torch.optim.adamw.AdamW", 2, 0),
                    node("torch.nn.Sequential.forward.input", "torch.Tensor", 115, {})};
  snapshot.nodes[1].length = 20;
  snapshot.contents.push_back({.node = 5, .type = "torch.Tensor", .count = 30, .graph_functions = 60});
  Evidence out;
  out.snapshots.push_back({{}, snapshot});
  return out;
}

GpuFailure failure_of(const Evidence& evidence, const std::string& stack = "") {
  const std::vector<WatchedProcess> processes;
  const Sites sites;
  const std::vector<ProcessHolders> holders;
  SourceFiles sources;
  const model::Report report;
  const Scene scene{evidence, processes, sites, holders, report.short_lived, sources, report};
  return find_gpu_failure(scene, {.kind = model::EventKind::CudaOom, .at_s = 63, .stack = stack});
}

TEST(GpuFailure, parts_add_up_to_what_tensors_held) {
  const GpuFailure failure = failure_of(failed_at(63.2));

  using model::MemoryPart;
  EXPECT_THAT(failure.held.parts,
              ElementsAre(Field(&MemoryPart::name, "activations"), Field(&MemoryPart::name, "`shards`"),
                          Field(&MemoryPart::name, "model"), Field(&MemoryPart::name, "optimizer state"),
                          Field(&MemoryPart::name, "other tensors")));
  std::uint64_t sum = 0;
  for (const MemoryPart& part : failure.held.parts) sum += part.bytes;
  EXPECT_EQ(sum, 146 * kGB);
  EXPECT_EQ(failure.held.parts[1].what, "a dict of 20 items");
  EXPECT_TRUE(failure.held.is_mostly_graph);
  EXPECT_EQ(failure.held.variable, "`shards`");
}

TEST(GpuFailure, snapshot_of_another_moment_shows_nothing) {
  EXPECT_TRUE(failure_of(failed_at(30)).held.parts.empty());
}

TEST(GpuFailure, line_is_the_innermost_of_the_user) {
  const GpuFailure failure =
      failure_of({},
                 "116 Linear.forward /usr/lib/python3/dist-packages/torch/nn/linear.py | "
                 "14 train_step /job/train.py | 22 <module> /job/train.py");
  ASSERT_TRUE(failure.line);
  EXPECT_EQ(model::place_of(*failure.line), "train.py:14");
  EXPECT_EQ(failure.line->function, "train_step");
}

TEST(GpuFailure, any_text_is_a_stack) {
  EXPECT_TRUE(model::frames_of("").empty());
  EXPECT_TRUE(model::frames_of(" |  | 1 two | ").empty());
  const std::vector<model::Frame> frames = model::frames_of("x f a b.py | 99999999999   | ");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].line, 0U);
  EXPECT_EQ(frames[0].file, "a b.py");
  EXPECT_EQ(frames[1].line, 0U);
  std::string many;
  for (int at = 0; at < 1000; ++at) many += "1 f a.py | ";
  EXPECT_LE(model::frames_of(many).size(), 64U);
}

}  // namespace
}  // namespace lowtide::explain
