#include <gtest/gtest.h>

#include "plan/measured.h"
#include "plan/plan.h"
#include "plan/tensor_facts.h"
#include "plan/test_parts.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;
using model::TensorCount;

TensorCount tensors(std::string device, std::string dtype, std::vector<std::int64_t> shape,
                    bool requires_grad, std::uint64_t count, std::uint64_t each_bytes) {
  TensorCount out;
  out.device = std::move(device);
  out.dtype = std::move(dtype);
  out.shape = std::move(shape);
  out.requires_grad = requires_grad;
  out.count = count;
  out.bytes = count * each_bytes;
  out.storages = count;
  out.storage_bytes = count * each_bytes;
  return out;
}

// Frozen weights of 4 bits, LoRA in float32 with gradients of one half, Adam in 8 bits, a batch on the host.
std::vector<TensorCount> lora_job() {
  return {tensors("cuda:0", "torch.uint8", {1'000'000, 1}, false, 100, 1'000'000),
          tensors("cuda:0", "torch.float32", {16, 2048}, true, 10, 131'072),
          tensors("cuda:0", "torch.float32", {2048, 16}, true, 10, 131'072),
          tensors("cuda:0", "torch.float32", {16, 2048}, false, 10, 131'072),
          tensors("cuda:0", "torch.uint8", {16, 2048}, false, 20, 32'768),
          tensors("cpu", "torch.float32", {2, 3, 512, 512}, false, 1, 6'291'456)};
}

TEST(TensorFacts, parts_of_a_lora_job_are_recognised) {
  const auto found = tensors_of(lora_job());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->has_lora);
  const model::TensorFacts& facts = found->facts;
  EXPECT_TRUE(facts.is_on_device);
  EXPECT_EQ(facts.frozen_bytes, 100e6);
  EXPECT_EQ(facts.trained_bytes, 2 * 1'310'720);
  EXPECT_EQ(facts.trained_values, 2 * 327'680);
  EXPECT_EQ(facts.gradient_bytes, 1'310'720);
  EXPECT_EQ(facts.optimizer_bytes, 655'360);
  EXPECT_EQ(facts.host_bytes, 6'291'456);
}

TEST(TensorFacts, two_copies_are_states_and_three_have_a_gradient) {
  std::vector<TensorCount> all = {tensors("cpu", "torch.float32", {10}, true, 1, 40),
                                  tensors("cpu", "torch.float32", {10}, false, 2, 40)};
  EXPECT_EQ(tensors_of(all)->facts.gradient_bytes, 0);
  EXPECT_EQ(tensors_of(all)->facts.optimizer_bytes, 80);
  EXPECT_FALSE(tensors_of(all)->facts.is_on_device);
  all[1] = tensors("cpu", "torch.float32", {10}, false, 3, 40);
  EXPECT_EQ(tensors_of(all)->facts.gradient_bytes, 40);
  EXPECT_EQ(tensors_of(all)->facts.optimizer_bytes, 80);
}

TEST(TensorFacts, nothing_is_no_fact) {
  EXPECT_FALSE(tensors_of({}));
  const std::vector<TensorCount> odd = {tensors("", "", {-5}, false, 0, 0)};
  EXPECT_FALSE(tensors_of(odd));
}

// The example of the README: a model of 132 kB, and a list that keeps one prediction per step.
model::Snapshot leaking_job(std::uint64_t kept) {
  model::Snapshot snapshot;
  snapshot.pid = 7;
  snapshot.has_tensors = true;
  snapshot.tensors = {tensors("cpu", "torch.float32", {256, 64}, true, 2, 65'536),
                      tensors("cpu", "torch.float32", {256, 64}, false, 6, 65'536),
                      tensors("cpu", "torch.float32", {1536, 64}, false, kept, 393'216),
                      tensors("cpu", "torch.float32", {256, 256}, false, 1, 262'144)};
  return snapshot;
}

model::HolderReport history(std::uint64_t bytes) {
  model::HolderReport holder;
  holder.pid = 7;
  holder.node.path = "__main__.main.history";
  holder.node.retained_bytes = bytes;
  holder.share = 0.95;
  return holder;
}

void expect_only_the_model(const std::vector<TensorCount>& kept) {
  const auto found = tensors_of(kept);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_lora);
  EXPECT_EQ(found->facts.trained_bytes, 131'072);
  EXPECT_EQ(found->facts.frozen_bytes, 262'144) << "the batch";
  EXPECT_EQ(found->facts.gradient_bytes + found->facts.optimizer_bytes, 6 * 65'536);
}

TEST(TensorFacts, tensors_that_become_more_are_a_leak_and_no_weights) {
  const std::vector<model::Snapshot> snapshots = {leaking_job(300), leaking_job(853)};
  expect_only_the_model(without_leak(snapshots, {}));
}

TEST(TensorFacts, tensors_of_a_growing_variable_are_a_leak_and_no_weights) {
  model::Snapshot imports;  // it knows the tensors, but there is no model yet
  imports.pid = 7;
  imports.has_tensors = true;
  const std::vector<model::Snapshot> snapshots = {imports, leaking_job(853)};
  const std::vector<model::HolderReport> growing = {history(853ULL * 393'300)};
  expect_only_the_model(without_leak(snapshots, growing));
}

TEST(TensorFacts, frozen_weights_of_a_job_that_leaks_something_else_stay) {
  const std::vector<model::Snapshot> snapshots = {leaking_job(100), leaking_job(100)};
  const auto found = tensors_of(without_leak(snapshots, {}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->facts.frozen_bytes, 100 * 393'216 + 262'144);
}

TEST(TensorFacts, leaked_tensors_of_the_shape_of_a_weight_are_no_optimizer_states) {
  model::Snapshot before = leaking_job(0);
  model::Snapshot after = leaking_job(0);
  before.tensors[1].count = 106;
  after.tensors[1] = tensors("cpu", "torch.float32", {256, 64}, false, 278, 65'536);
  const std::vector<model::Snapshot> snapshots = {before, after};
  EXPECT_EQ(tensors_of(without_leak(snapshots, {}))->facts.optimizer_bytes, 0);
}

TEST(PlanMeasured, tensors_replace_the_formulas) {
  JobSetup setup;
  const auto found = tensors_of(lora_job());
  setup.tensors = found->facts;
  setup.has_lora_tensors = found->has_lora;
  const Plan plan = make_plan(setup);
  EXPECT_EQ(device_of(plan.parts, PlanComponent::Weights), 100e6);
  EXPECT_EQ(device_of(plan.parts, PlanComponent::LoraWeights), 2 * 1'310'720);
  EXPECT_EQ(device_of(plan.parts, PlanComponent::OptimizerStates), 655'360);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Activations), nullptr) << "tensors do not show them";
}

TEST(PlanMeasured, small_model_beside_its_batches_is_not_called_lora) {
  JobSetup setup;
  setup.on_cpu = true;
  setup.tensors = tensors_of(leaking_job(0).tensors)->facts;
  const Plan plan = make_plan(setup);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::LoraWeights), nullptr);
  EXPECT_EQ(host_of(plan.parts, PlanComponent::Weights), 131'072 + 262'144);
}

TEST(PlanMeasured, report_is_shown_beside_the_plan) {
  model::Report report;
  model::SeriesReport series;
  series.last_bytes = 10'000'000'000;
  series.peak_bytes = 12'000'000'000;
  report.runs.push_back({.name = "run", .series = {series}});
  model::ProcessReport worker;
  worker.info.role = model::ProcessRole::Worker;
  worker.series.last_bytes = 300'000'000;
  report.processes = {worker, worker};
  model::GpuReport gpu;
  gpu.process_bytes = 5'000'000'000;
  gpu.torch = model::TorchReading{.allocated_bytes = 3'000'000'000, .reserved_bytes = 4'000'000'000};
  report.gpus = {gpu};
  JobSetup setup;
  setup.parameters = 1e9;

  Plan plan = make_plan(setup);
  add_measured(plan, report);
  add_measured(plan, tensors_of(lora_job())->facts, true);

  EXPECT_EQ(plan.measured->host_bytes, 10e9);
  EXPECT_EQ(plan.measured->device_bytes, 5e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Workers)->measured_host, 600e6) << "though none was planned";
  EXPECT_EQ(find_part(plan.parts, PlanComponent::AllocatorReserve)->measured_device, 1e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Libraries)->measured_device, 1e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Gradients)->measured_device, 1'310'720);
}

TEST(PlanMeasured, empty_report_adds_nothing) {
  JobSetup setup;
  setup.parameters = 1e9;
  Plan plan = make_plan(setup);
  add_measured(plan, model::Report{});
  EXPECT_FALSE(plan.measured->host_bytes);
  EXPECT_FALSE(forecast_epoch(setup, model::Report{}));
}

}  // namespace
}  // namespace lowtide::plan
