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

// Frozen weights of 4 bits, LoRA in float32 with gradients, Adam in 8 bits, a batch on the host.
std::vector<TensorCount> lora_job() {
  return {tensors("cuda:0", "torch.uint8", {1'000'000, 1}, false, 100, 1'000'000),
          tensors("cuda:0", "torch.float32", {16, 2048}, true, 10, 131'072),
          tensors("cuda:0", "torch.float32", {16, 2048}, false, 10, 131'072),
          tensors("cuda:0", "torch.uint8", {16, 2048}, false, 20, 32'768),
          tensors("cpu", "torch.float32", {2, 3, 512, 512}, false, 1, 6'291'456)};
}

TEST(TensorFacts, parts_of_a_lora_job_are_told_apart) {
  const auto facts = facts_of(lora_job());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->is_on_device);
  EXPECT_EQ(facts->frozen_bytes, 100e6);
  EXPECT_EQ(facts->trained_bytes, 1'310'720);
  EXPECT_EQ(facts->trained_values, 327'680);
  EXPECT_EQ(facts->gradient_bytes, 1'310'720);
  EXPECT_EQ(facts->optimizer_bytes, 655'360);
  EXPECT_EQ(facts->host_bytes, 6'291'456);
}

TEST(TensorFacts, two_copies_are_states_and_three_have_a_gradient) {
  std::vector<TensorCount> all = {tensors("cpu", "torch.float32", {10}, true, 1, 40),
                                  tensors("cpu", "torch.float32", {10}, false, 2, 40)};
  EXPECT_EQ(facts_of(all)->gradient_bytes, 0);
  EXPECT_EQ(facts_of(all)->optimizer_bytes, 80);
  EXPECT_FALSE(facts_of(all)->is_on_device);
  all[1] = tensors("cpu", "torch.float32", {10}, false, 3, 40);
  EXPECT_EQ(facts_of(all)->gradient_bytes, 40);
  EXPECT_EQ(facts_of(all)->optimizer_bytes, 80);
}

TEST(TensorFacts, nothing_is_no_fact) {
  EXPECT_FALSE(facts_of({}));
  const std::vector<TensorCount> odd = {tensors("", "", {-5}, false, 0, 0)};
  EXPECT_FALSE(facts_of(odd));
}

TEST(PlanMeasured, tensors_take_the_place_of_what_would_be_worked_out) {
  model::TrainingSetup setup;
  setup.tensors = facts_of(lora_job());
  model::Plan plan = make_plan(setup);
  EXPECT_EQ(device_of(plan.parts, PlanComponent::Weights), 100e6);
  EXPECT_EQ(device_of(plan.parts, PlanComponent::OptimizerStates), 655'360);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Activations), nullptr) << "nothing tells of them";
}

TEST(PlanMeasured, report_is_set_beside_the_plan) {
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
  model::TrainingSetup setup;
  setup.parameters = 1e9;

  model::Plan plan = make_plan(setup);
  add_measured(plan, report);
  add_measured(plan, *facts_of(lora_job()));

  EXPECT_EQ(plan.measured->host_bytes, 10e9);
  EXPECT_EQ(plan.measured->device_bytes, 5e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Workers)->measured_host, 600e6) << "though none was planned";
  EXPECT_EQ(find_part(plan.parts, PlanComponent::AllocatorReserve)->measured_device, 1e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Libraries)->measured_device, 1e9);
  EXPECT_EQ(find_part(plan.parts, PlanComponent::Gradients)->measured_device, 1'310'720);
}

TEST(PlanMeasured, empty_report_says_nothing) {
  model::TrainingSetup setup;
  setup.parameters = 1e9;
  model::Plan plan = make_plan(setup);
  add_measured(plan, model::Report{});
  EXPECT_FALSE(plan.measured->host_bytes);
  EXPECT_FALSE(forecast_epoch(setup, model::Report{}));
}

}  // namespace
}  // namespace lowtide::plan
