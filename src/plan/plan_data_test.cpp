// Parts that follow from the data and from the processes around the model.

#include <gtest/gtest.h>

#include "plan/parts.h"
#include "plan/plan.h"
#include "plan/shape.h"
#include "plan/test_parts.h"

namespace lowtide::plan {
namespace {

using model::ExamplesKept;
using model::PlanComponent;

// 1 million pixels per image, almost no text.
JobSetup with_images() {
  JobSetup setup;
  setup.parameters = 1e9;
  setup.sequence = 1;
  setup.images_per_sample = 1;
  setup.image = model::ImageSize{1000, 1000};
  return setup;
}

TEST(PlanData, opened_image_takes_four_bytes_a_pixel) {
  JobSetup setup = with_images();
  setup.examples = 100;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::OpenedExamples), 100 * 4e6);
  setup.examples_kept = ExamplesKept::Encoded;
  EXPECT_EQ(host_of(data_parts(setup), PlanComponent::OpenedExamples), 0);
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Dataset), 100 * 0.4e6);
  setup.examples_kept = ExamplesKept::None;
  EXPECT_EQ(host_of(data_parts(setup), PlanComponent::Dataset), 0);
}

TEST(PlanData, given_sizes_replace_guesses) {
  JobSetup setup = with_images();
  setup.examples = 100;
  setup.example_bytes = 20e6;
  setup.dataset_bytes = 3e9;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::OpenedExamples), 2e9);
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Dataset), 3e9);
}

TEST(PlanData, size_that_is_not_given_is_assumed_with_a_wide_range) {
  JobSetup setup = with_images();
  setup.image.reset();
  setup.examples = 1;
  const PlanParts parts = data_parts(setup);
  const model::PlanPart* part = find_part(parts, PlanComponent::OpenedExamples);
  ASSERT_NE(part, nullptr);
  EXPECT_DOUBLE_EQ(part->host->estimate, 2048.0 * 2048 * 4);
  EXPECT_DOUBLE_EQ(part->host->low, 1280.0 * 28 * 28 * 4);
  EXPECT_DOUBLE_EQ(part->host->high, 16384.0 * 28 * 28 * 4);
  EXPECT_NE(part->assumption.find("--image-size"), std::string::npos);
}

TEST(PlanData, batches_are_in_use_and_prefetched) {
  JobSetup setup = with_images();
  setup.batch = 8;
  const double batch = 8 * sample_shape(setup).tensor_bytes;
  EXPECT_NEAR(batch, 8 * 12e6, 1e6);
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Batches), batch);
  setup.accumulation = 4;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Batches), 4 * batch);
  setup.workers = 4;
  setup.prefetch = 3;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Batches), (4 + 4 * 3) * batch);
  EXPECT_DOUBLE_EQ(device_of(data_parts(setup), PlanComponent::Batches), batch);
}

TEST(PlanData, model_that_sees_smaller_images_needs_smaller_batches) {
  JobSetup setup = with_images();
  setup.resized = model::ImageSize{500, 500};
  EXPECT_NEAR(host_of(data_parts(setup), PlanComponent::Batches), 3e6, 0.1e6);
}

TEST(PlanData, pinned_blocks_are_powers_of_two) {
  JobSetup setup = with_images();
  setup.pins_memory = true;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Pinned), 2 * 16.0 * 1024 * 1024);
  setup.on_cpu = true;
  EXPECT_EQ(find_part(data_parts(setup), PlanComponent::Pinned), nullptr);
}

TEST(PlanData, text_examples_are_tokens) {
  JobSetup setup;
  setup.parameters = 1e9;
  setup.sequence = 1000;
  setup.examples = 1e6;
  const PlanParts parts = data_parts(setup);
  EXPECT_DOUBLE_EQ(host_of(parts, PlanComponent::Dataset), 24e9);
  EXPECT_EQ(find_part(parts, PlanComponent::Dataset)->host->low, 0) << "it may be mapped from disk";
  EXPECT_EQ(find_part(parts, PlanComponent::OpenedExamples), nullptr);
}

TEST(PlanData, pool_holds_samples) {
  JobSetup setup = with_images();
  setup.pool = 50;
  EXPECT_DOUBLE_EQ(host_of(data_parts(setup), PlanComponent::Pool), 50 * sample_shape(setup).tensor_bytes);
}

// Another team's job: 20 episodes whose outputs were kept took 40 GB, and 2 GB once they were released.
TEST(PlanValidation, kept_episodes_add_up) {
  JobSetup setup = with_images();
  setup.validation_samples = 32;
  setup.validation_episodes = 20;
  const double one = host_of(validation_parts(setup), PlanComponent::Validation);
  setup.validation_kept = true;
  EXPECT_DOUBLE_EQ(host_of(validation_parts(setup), PlanComponent::Validation), 20 * one);
  setup.validation_samples = 0;
  EXPECT_TRUE(validation_parts(setup).empty());
}

TEST(PlanProcesses, children_are_not_the_trainer) {
  JobSetup setup = with_images();
  setup.workers = 4;
  setup.compile_workers = 20;
  const Plan plan = make_plan(setup);
  EXPECT_NEAR(
      plan.host.estimate - plan.trainer.estimate,
      host_of(plan.parts, PlanComponent::Workers) + host_of(plan.parts, PlanComponent::CompileWorkers), 1);
}

TEST(PlanProcesses, libraries_are_as_given) {
  JobSetup setup = with_images();
  setup.libraries_bytes = 5e9;
  EXPECT_DOUBLE_EQ(host_of(process_parts(setup), PlanComponent::Libraries), 5e9);
  setup.libraries_bytes.reset();
  setup.on_cpu = true;
  EXPECT_LT(host_of(process_parts(setup), PlanComponent::Libraries), 1e9);
}

TEST(PlanReserve, is_a_share_of_what_is_allocated) {
  model::PlanPart part;
  part.component = PlanComponent::Batches;
  part.host = model::Range{10e9, 10e9, 10e9};
  model::PlanPart libraries = part;
  libraries.component = PlanComponent::Libraries;
  EXPECT_DOUBLE_EQ(host_of(reserve_parts({}, {part, libraries}), PlanComponent::AllocatorReserve), 0.4e9);
  EXPECT_TRUE(reserve_parts({}, {libraries}).empty());
}

// 70B with LoRA: 140 GB that are loaded once and never freed leave no free blocks.
TEST(PlanReserve, does_not_count_frozen_weights) {
  JobSetup setup;
  setup.parameters = 70e9;
  setup.lora_rank = 16;
  setup.checkpointing = true;
  const Plan plan = make_plan(setup);
  const model::PlanPart* reserve = find_part(plan.parts, PlanComponent::AllocatorReserve);
  ASSERT_NE(reserve, nullptr);
  EXPECT_GT(device_of(plan.parts, PlanComponent::Weights), 139e9);
  EXPECT_LT(reserve->device->estimate, 2e9);
  EXPECT_LT(reserve->device->high, 0.33 * (plan.device.estimate - 140e9));
}

TEST(PlanReserve, does_not_count_states_that_are_allocated_once) {
  JobSetup setup;
  setup.parameters = 7e9;
  setup.checkpointing = true;
  const Plan plan = make_plan(setup);
  const double freed_each_step = device_of(plan.parts, PlanComponent::Gradients) +
                                 device_of(plan.parts, PlanComponent::Activations) +
                                 device_of(plan.parts, PlanComponent::Batches);
  EXPECT_NEAR(device_of(plan.parts, PlanComponent::AllocatorReserve), 0.15 * freed_each_step, 1);
}

TEST(Plan, ram_includes_a_checkpoint_in_host_memory) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  JobSetup setup;
  setup.parameters = 70e9;
  setup.lora_rank = 16;
  Plan plan = make_plan(setup);
  EXPECT_DOUBLE_EQ(plan.checkpoint_bytes, 140e9);
  EXPECT_GE(plan.comfortable_ram_bytes, plan.host.estimate + 140e9);
  EXPECT_LT(plan.comfortable_ram_bytes, plan.host.estimate + 140e9 + kGiB);
  EXPECT_LT(plan.minimum_ram_bytes, 4 * kGiB);
  setup.precision = model::Precision::FourBit;  // it is quantized while it is loaded
  EXPECT_DOUBLE_EQ(make_plan(setup).checkpoint_bytes, 140e9);
}

TEST(Plan, each_limit_is_compared_with_its_own_memory) {
  JobSetup setup;
  setup.parameters = 7e9;
  Plan plan = make_plan(setup);
  EXPECT_FALSE(fits_host(plan));
  EXPECT_FALSE(fits_gpu(plan));
  plan.limit_bytes = 40e9;
  plan.gpu_limit_bytes = 40e9;
  EXPECT_EQ(fits_host(plan), true);
  EXPECT_EQ(fits_gpu(plan), false) << "7B in bf16 with AdamW takes at least 56 GB";
}

}  // namespace
}  // namespace lowtide::plan
