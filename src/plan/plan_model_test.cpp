// Parts that follow from the model: weights, gradients, optimizer states, activations.

#include <gtest/gtest.h>

#include <cmath>

#include "plan/parts.h"
#include "plan/plan.h"
#include "plan/shape.h"
#include "plan/test_parts.h"

namespace lowtide::plan {
namespace {

using model::OptimizerKind;
using model::PlanComponent;
using model::Precision;
using model::TrainingSetup;

TrainingSetup of(double parameters, Precision precision) {
  TrainingSetup setup;
  setup.parameters = parameters;
  setup.precision = precision;
  return setup;
}

TEST(PlanWeights, each_precision_has_its_bytes) {
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::Fp32)), PlanComponent::Weights), 12e9);
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::Fp16)), PlanComponent::Weights), 6e9);
  // 8 % stay in 16 bits.
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::FourBit)), PlanComponent::Weights),
                   3e9 * (0.92 * 0.5 + 0.08 * 2));
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::EightBit)), PlanComponent::Weights),
                   3e9 * (0.92 + 0.08 * 2));
}

TEST(PlanWeights, scales_of_four_bits_are_told_apart) {
  const PlanParts parts = weight_parts(of(3e9, Precision::FourBit));
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::QuantizationConstants), 3e9 / 64);
  EXPECT_DOUBLE_EQ(find_part(parts, PlanComponent::QuantizationConstants)->device->high, 3e9 * 4 / 64);
  EXPECT_EQ(find_part(weight_parts(of(3e9, Precision::Bf16)), PlanComponent::QuantizationConstants), nullptr);
}

TEST(PlanWeights, mixed_precision_is_within_the_range) {
  const PlanParts parts = weight_parts(of(3e9, Precision::Bf16));
  EXPECT_DOUBLE_EQ(parts.front().device->high, 18e9);
  EXPECT_FALSE(parts.front().assumption.empty());
}

// Qwen2.5-VL 3B: its language model's 36 layers have 29.9 million with their real shapes (k and v are
// narrower).
TEST(PlanWeights, lora_follows_rank_and_shape) {
  TrainingSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.hidden = 2048;
  setup.layers = 36;
  setup.feed_forward = 11008;
  EXPECT_DOUBLE_EQ(lora_parameters(setup), 16.0 * 36 * (4 * 2 * 2048 + 3 * (2048 + 11008)));
  EXPECT_NEAR(lora_parameters(setup), 29.9e6, 0.1 * 29.9e6);
  EXPECT_DOUBLE_EQ(device_of(weight_parts(setup), PlanComponent::LoraWeights), 4 * lora_parameters(setup));
}

TEST(PlanWeights, shape_that_is_not_told_is_assumed_and_said_so) {
  TrainingSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  const model::PlanPart* part = nullptr;
  const PlanParts parts = weight_parts(setup);
  part = find_part(parts, PlanComponent::LoraWeights);
  ASSERT_NE(part, nullptr);
  EXPECT_NE(part->assumption.find("--hidden"), std::string::npos) << part->assumption;
  const ModelShape shape = model_shape(setup);
  EXPECT_NEAR(12 * shape.layers * shape.hidden * shape.hidden, 3e9, 0.1e9);
}

TEST(PlanWeights, model_on_the_cpu_is_in_host_memory) {
  TrainingSetup setup = of(1e9, Precision::Fp32);
  setup.on_cpu = true;
  EXPECT_DOUBLE_EQ(host_of(weight_parts(setup), PlanComponent::Weights), 4e9);
  EXPECT_EQ(make_plan(setup).device.estimate, 0);
}

TEST(PlanTrainingState, each_optimizer_has_its_bytes) {
  TrainingSetup setup = of(1e9, Precision::Fp32);
  const auto states = [&](OptimizerKind kind) {
    setup.optimizer = kind;
    return device_of(training_state_parts(setup), PlanComponent::OptimizerStates);
  };
  EXPECT_DOUBLE_EQ(states(OptimizerKind::AdamW), 8e9);
  EXPECT_DOUBLE_EQ(states(OptimizerKind::Adam), 8e9);
  EXPECT_DOUBLE_EQ(states(OptimizerKind::Adam8bit), 1e9 * (2 + 8.0 / 256));
  EXPECT_DOUBLE_EQ(states(OptimizerKind::Adafactor), 4e9);
  EXPECT_DOUBLE_EQ(states(OptimizerKind::SgdMomentum), 4e9);
  EXPECT_DOUBLE_EQ(states(OptimizerKind::Sgd), 0);
}

TEST(PlanTrainingState, only_what_is_trained_has_a_gradient) {
  TrainingSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.trainable = 40e6;
  const PlanParts parts = training_state_parts(setup);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::Gradients), 160e6);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::OptimizerStates), 320e6);
}

TEST(PlanTrainingState, offloaded_states_are_on_the_host) {
  TrainingSetup setup = of(1e9, Precision::Fp32);
  setup.offloads_optimizer = true;
  const PlanParts parts = training_state_parts(setup);
  EXPECT_DOUBLE_EQ(host_of(parts, PlanComponent::OptimizerStates), 8e9);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::Gradients), 4e9);
}

// GPT-3 of 175 B, one sequence of 2048: 34 s b h L = 82 GB (arXiv:2205.05198, with s 2048, h 12288, L 96).
TEST(PlanActivations, follow_the_published_formula) {
  TrainingSetup setup = of(175e9, Precision::Bf16);
  setup.hidden = 12288;
  setup.layers = 96;
  setup.sequence = 2048;
  setup.vocabulary = 1;
  const double all = device_of(activation_parts(setup), PlanComponent::Activations);
  EXPECT_NEAR(all, 34.0 * 2048 * 12288 * 96, 1e6);
  setup.checkpointing = true;
  const double recomputed = device_of(activation_parts(setup), PlanComponent::Activations);
  EXPECT_NEAR(recomputed, 2.0 * 2048 * 12288 * 96 + 34.0 * 2048 * 12288, 1e6);
}

TEST(PlanActivations, images_are_tokens_too) {
  TrainingSetup setup = of(3e9, Precision::Bf16);
  setup.sequence = 1000;
  setup.images_per_sample = 2;
  setup.image = model::ImageSize{280, 280};
  EXPECT_DOUBLE_EQ(sample_shape(setup).image_tokens, 200);
  setup.image = model::ImageSize{100'000, 100'000};
  EXPECT_DOUBLE_EQ(sample_shape(setup).image_tokens, 2 * 16384.0) << "the processor lets no more through";
}

TEST(Plan, every_part_has_a_formula_and_ordered_bounds) {
  TrainingSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.images_per_sample = 1;
  setup.examples = 663;
  setup.workers = 4;
  setup.compile_workers = 20;
  setup.pins_memory = true;
  setup.pool = 10;
  setup.validation_samples = 32;
  const model::Plan plan = make_plan(setup);
  EXPECT_EQ(plan.parts.size(), 16U);
  for (const model::PlanPart& part : plan.parts) {
    EXPECT_FALSE(part.formula.empty()) << to_string(part.component);
    for (const auto& range : {part.host, part.device}) {
      if (!range) continue;
      EXPECT_LE(range->low, range->estimate) << to_string(part.component);
      EXPECT_LE(range->estimate, range->high) << to_string(part.component);
      EXPECT_GE(range->low, 0) << to_string(part.component);
    }
  }
  EXPECT_LE(plan.host.estimate, plan.minimum_ram_bytes);
  EXPECT_LE(plan.minimum_ram_bytes, plan.comfortable_ram_bytes);
}

TEST(Plan, smallest_and_largest_setups_stay_finite) {
  for (const double parameters : {1.0, 1e15}) {
    TrainingSetup setup = of(parameters, Precision::Fp32);
    setup.lora_rank = parameters > 1 ? 65536 : 1;
    setup.batch = parameters > 1 ? 1e9 : 1;
    setup.images_per_sample = 1e6;
    setup.image = model::ImageSize{100'000, 100'000};
    setup.examples = 1e12;
    setup.workers = 4096;
    setup.pins_memory = true;
    const model::Plan plan = make_plan(setup);
    EXPECT_TRUE(std::isfinite(plan.host.high));
    EXPECT_TRUE(std::isfinite(plan.device.high));
  }
}

}  // namespace
}  // namespace lowtide::plan
