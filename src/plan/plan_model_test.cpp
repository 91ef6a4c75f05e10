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

JobSetup of(double parameters, Precision precision) {
  JobSetup setup;
  setup.parameters = parameters;
  setup.precision = precision;
  return setup;
}

TEST(PlanWeights, each_precision_has_its_bytes) {
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::Fp32)), PlanComponent::Weights), 12e9);
  EXPECT_DOUBLE_EQ(device_of(weight_parts(of(3e9, Precision::Fp16)), PlanComponent::Weights), 6e9);
}

// bitsandbytes leaves embeddings and output layer in 16 bits.
TEST(PlanWeights, vocabulary_is_not_quantized) {
  JobSetup small = of(3.2e9, Precision::FourBit);  // 3072 wide, one matrix for both
  small.vocabulary = 128'256;
  const double left = 128'256.0 * 3072;
  EXPECT_DOUBLE_EQ(device_of(weight_parts(small), PlanComponent::Weights), 0.5 * (3.2e9 - left) + 2 * left);
  JobSetup large = of(7e9, Precision::EightBit);  // 4096 wide, two matrices
  large.vocabulary = 32'000;
  EXPECT_DOUBLE_EQ(device_of(weight_parts(large), PlanComponent::Weights), 7e9 + 2 * 32'000.0 * 4096);
}

TEST(PlanWeights, scales_of_four_bits_are_a_part_of_their_own) {
  const PlanParts parts = weight_parts(of(3e9, Precision::FourBit));
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::QuantizationConstants), 3e9 / 64);
  EXPECT_DOUBLE_EQ(find_part(parts, PlanComponent::QuantizationConstants)->device->high, 3e9 * 4 / 64);
  EXPECT_EQ(find_part(weight_parts(of(3e9, Precision::Bf16)), PlanComponent::QuantizationConstants), nullptr);
}

TEST(PlanWeights, note_says_whether_there_is_a_float32_copy) {
  JobSetup setup = of(3e9, Precision::Bf16);
  EXPECT_NE(weight_parts(setup).front().assumption.find("--mixed-precision"), std::string::npos);
  setup.mixed_precision = true;
  EXPECT_NE(weight_parts(setup).front().assumption.find("mixed precision"), std::string::npos);
  setup.lora_rank = 16;  // frozen weights need no copy
  EXPECT_TRUE(weight_parts(setup).front().assumption.empty()) << weight_parts(setup).front().assumption;
}

// Qwen2.5-VL 3B: 16 heads, 2 key-value heads, 29.9 million with its real shapes.
TEST(PlanWeights, lora_follows_rank_and_shape) {
  JobSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.hidden = 2048;
  setup.layers = 36;
  setup.feed_forward = 11008;
  EXPECT_DOUBLE_EQ(lora_parameters(setup), 16.0 * 36 * (4 * 2 * 2048 + 3 * (2048 + 11008)));
  setup.heads = 16;
  setup.kv_heads = 2;
  EXPECT_DOUBLE_EQ(lora_parameters(setup), 29'933'568);
  EXPECT_DOUBLE_EQ(device_of(weight_parts(setup), PlanComponent::LoraWeights), 4 * lora_parameters(setup));
}

// Llama 2 7B with rank 16 on all projections has 39,976,960 trainable parameters.
TEST(PlanWeights, lora_of_an_assumed_shape_is_near_the_published_count) {
  JobSetup setup = of(7e9, Precision::Bf16);
  setup.lora_rank = 16;
  EXPECT_NEAR(lora_parameters(setup), 39'976'960, 0.01 * 39'976'960);
  setup.feed_forward = 11008;
  EXPECT_DOUBLE_EQ(lora_parameters(setup), 39'976'960);
}

TEST(PlanShape, known_sizes_have_their_published_shapes) {
  const auto expect = [](double parameters, double hidden, double layers) {
    const ModelShape shape = model_shape(of(parameters, Precision::Bf16));
    EXPECT_EQ(shape.hidden, hidden) << parameters;
    EXPECT_EQ(shape.layers, layers) << parameters;
  };
  expect(124e6, 768, 12);
  expect(3e9, 3072, 28);
  expect(7e9, 4096, 32);
  expect(8e9, 4096, 32);
  expect(13e9, 5120, 40);
  expect(70e9, 8192, 80);
  expect(175e9, 12288, 96);
}

TEST(PlanShape, other_sizes_lie_between_their_neighbours) {
  double width = 0;
  for (const double parameters : {1e6, 5e7, 5e8, 1e9, 5e9, 2e10, 5e10, 1e11, 3e11, 1e12}) {
    const ModelShape shape = model_shape(of(parameters, Precision::Bf16));
    EXPECT_GT(shape.hidden, width) << parameters;
    EXPECT_GE(shape.layers, 1) << parameters;
    width = shape.hidden;
  }
  const ModelShape shape = model_shape(of(2e10, Precision::Bf16));  // GPT-NeoX 20B: 6144 x 44
  EXPECT_NEAR(shape.hidden, 6144, 0.1 * 6144);
  EXPECT_NEAR(shape.layers, 44, 0.15 * 44);
}

TEST(PlanWeights, shape_that_is_not_given_is_an_assumption) {
  JobSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  const PlanParts parts = weight_parts(setup);
  const model::PlanPart* part = find_part(parts, PlanComponent::LoraWeights);
  ASSERT_NE(part, nullptr);
  EXPECT_NE(part->assumption.find("--hidden"), std::string::npos) << part->assumption;
}

TEST(PlanWeights, model_on_the_cpu_is_in_host_memory) {
  JobSetup setup = of(1e9, Precision::Fp32);
  setup.on_cpu = true;
  EXPECT_DOUBLE_EQ(host_of(weight_parts(setup), PlanComponent::Weights), 4e9);
  EXPECT_EQ(make_plan(setup).device.estimate, 0);
}

TEST(PlanTrainingState, each_optimizer_has_its_bytes) {
  JobSetup setup = of(1e9, Precision::Fp32);
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

// torch.optim creates states in the type of the weights: 2 + 2 + 4 bytes. Mixed precision: 2 + 2 + 12 (ZeRO,
// arXiv:1910.02054, section 3.1).
TEST(PlanTrainingState, adamw_takes_8_bytes_in_pure_bf16_and_16_in_mixed_precision) {
  JobSetup setup = of(7e9, Precision::Bf16);
  const auto per_parameter = [&] {
    const PlanParts weights = weight_parts(setup);
    const PlanParts state = training_state_parts(setup);
    return (device_of(weights, PlanComponent::Weights) + device_of(state, PlanComponent::Gradients) +
            device_of(state, PlanComponent::OptimizerStates)) /
           setup.parameters;
  };
  EXPECT_DOUBLE_EQ(per_parameter(), 8);
  setup.mixed_precision = true;
  EXPECT_DOUBLE_EQ(per_parameter(), 16);
  setup.precision = Precision::Fp32;
  setup.mixed_precision = false;
  EXPECT_DOUBLE_EQ(per_parameter(), 16);
}

TEST(PlanTrainingState, float32_copy_does_not_depend_on_the_optimizer) {
  JobSetup setup = of(1e9, Precision::Bf16);
  setup.mixed_precision = true;
  setup.optimizer = OptimizerKind::Sgd;
  EXPECT_DOUBLE_EQ(device_of(training_state_parts(setup), PlanComponent::OptimizerStates), 4e9);
  setup.optimizer = OptimizerKind::Adam8bit;
  EXPECT_DOUBLE_EQ(device_of(training_state_parts(setup), PlanComponent::OptimizerStates),
                   1e9 * (4 + 2 + 8.0 / 256));
}

TEST(PlanTrainingState, only_what_is_trained_has_a_gradient) {
  JobSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.trainable = 40e6;
  const PlanParts parts = training_state_parts(setup);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::Gradients), 160e6);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::OptimizerStates), 320e6);
}

TEST(PlanTrainingState, offloaded_states_are_on_the_host) {
  JobSetup setup = of(1e9, Precision::Fp32);
  setup.offloads_optimizer = true;
  const PlanParts parts = training_state_parts(setup);
  EXPECT_DOUBLE_EQ(host_of(parts, PlanComponent::OptimizerStates), 8e9);
  EXPECT_DOUBLE_EQ(device_of(parts, PlanComponent::Gradients), 4e9);
}

// GPT-3 175B, one sequence of 2048 tokens: 34 s b h L = 82 GB (arXiv:2205.05198, with s 2048, h 12288, L 96).
TEST(PlanActivations, follow_the_published_formula) {
  JobSetup setup = of(175e9, Precision::Bf16);
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

// 16 numbers and two masks of a byte: 16 x 2 + 2 and 16 x 4 + 2.
TEST(PlanActivations, float32_takes_66_bytes_where_16_bits_take_34) {
  JobSetup setup = of(124e6, Precision::Bf16);
  setup.batch = 8;
  setup.sequence = 1024;
  setup.vocabulary = 1;
  const double units = 8.0 * 1024 * 768 * 12;
  EXPECT_NEAR(device_of(activation_parts(setup), PlanComponent::Activations), 34 * units, 1e5);
  EXPECT_NE(activation_parts(setup)[0].formula.find("34 bytes x 12 layers"), std::string::npos);
  setup.precision = Precision::Fp32;
  EXPECT_NEAR(device_of(activation_parts(setup), PlanComponent::Activations), 66 * units, 1e5);
  EXPECT_NE(activation_parts(setup)[0].formula.find("66 bytes x 12 layers"), std::string::npos);
}

// Keys and values are 4 of the 34 bytes; with a quarter of the heads they are 1.
TEST(PlanActivations, grouped_query_attention_keeps_fewer_keys_and_values) {
  JobSetup setup = of(8e9, Precision::Bf16);
  setup.vocabulary = 1;
  setup.sequence = 1000;
  setup.heads = 32;
  const double units = 1000.0 * 4096 * 32;
  EXPECT_NEAR(device_of(activation_parts(setup), PlanComponent::Activations), 34 * units, 1e5);
  setup.kv_heads = 8;
  EXPECT_NEAR(device_of(activation_parts(setup), PlanComponent::Activations), 31 * units, 1e5);
}

TEST(PlanActivations, images_are_tokens_too) {
  JobSetup setup = of(3e9, Precision::Bf16);
  setup.sequence = 1000;
  setup.images_per_sample = 2;
  setup.image = model::ImageSize{280, 280};
  EXPECT_DOUBLE_EQ(sample_shape(setup).image_tokens, 200);
  setup.image = model::ImageSize{100'000, 100'000};
  EXPECT_DOUBLE_EQ(sample_shape(setup).image_tokens, 2 * 16384.0) << "the processor accepts no more";
}

TEST(Plan, every_part_has_a_formula_and_ordered_bounds) {
  JobSetup setup = of(3e9, Precision::FourBit);
  setup.lora_rank = 16;
  setup.images_per_sample = 1;
  setup.examples = 663;
  setup.workers = 4;
  setup.compile_workers = 20;
  setup.pins_memory = true;
  setup.pool = 10;
  setup.validation_samples = 32;
  const Plan plan = make_plan(setup);
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
    JobSetup setup = of(parameters, Precision::Fp32);
    setup.lora_rank = parameters > 1 ? 65536 : 1;
    setup.batch = parameters > 1 ? 1e9 : 1;
    setup.images_per_sample = 1e6;
    setup.image = model::ImageSize{100'000, 100'000};
    setup.examples = 1e12;
    setup.workers = 4096;
    setup.pins_memory = true;
    const Plan plan = make_plan(setup);
    EXPECT_TRUE(std::isfinite(plan.host.high));
    EXPECT_TRUE(std::isfinite(plan.device.high));
  }
}

}  // namespace
}  // namespace lowtide::plan
