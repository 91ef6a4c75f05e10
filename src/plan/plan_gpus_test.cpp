// Several GPUs: what each of them holds, and what their processes need on the host.

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/ladder.h"
#include "plan/parts.h"
#include "plan/plan.h"
#include "plan/test_parts.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;

JobSetup on_gpus(double parameters, double gpus, Sharding sharding) {
  JobSetup setup;
  setup.parameters = parameters;
  setup.mixed_precision = true;
  setup.gpus = gpus;
  setup.sharding = sharding;
  return setup;
}

double state_of_one_gpu(const JobSetup& setup) {
  const PlanParts state = training_state_parts(setup);
  return device_of(weight_parts(setup), PlanComponent::Weights) + device_of(state, PlanComponent::Gradients) +
         device_of(state, PlanComponent::OptimizerStates);
}

// ZeRO, arXiv:1910.02054, figure 1: 7.5B parameters on 64 GPUs.
TEST(PlanSharding, stages_of_zero_have_their_published_sizes) {
  EXPECT_NEAR(state_of_one_gpu(on_gpus(7.5e9, 64, Sharding::None)), 120e9, 0.05e9);
  EXPECT_NEAR(state_of_one_gpu(on_gpus(7.5e9, 64, Sharding::Zero1)), 31.4e9, 0.05e9);
  EXPECT_NEAR(state_of_one_gpu(on_gpus(7.5e9, 64, Sharding::Zero2)), 16.6e9, 0.05e9);
  EXPECT_NEAR(state_of_one_gpu(on_gpus(7.5e9, 64, Sharding::Zero3)), 1.9e9, 0.05e9);
}

TEST(PlanSharding, gathered_layers_are_in_the_range) {
  const JobSetup setup = on_gpus(7e9, 8, Sharding::Zero3);
  const PlanParts parts = weight_parts(setup);
  EXPECT_DOUBLE_EQ(parts[0].device->estimate, 14e9 / 8);
  EXPECT_DOUBLE_EQ(parts[0].device->high, 14e9 / 8 + 2 * 14e9 / 32);
  EXPECT_NE(parts[0].formula.find("/ 8 GPUs"), std::string::npos) << parts[0].formula;
}

TEST(PlanSharding, frozen_weights_are_shared_only_by_the_third_stage) {
  JobSetup setup = on_gpus(70e9, 8, Sharding::Zero2);
  setup.lora_rank = 16;
  EXPECT_DOUBLE_EQ(device_of(weight_parts(setup), PlanComponent::Weights), 140e9);
  setup.sharding = Sharding::Zero3;
  EXPECT_DOUBLE_EQ(device_of(weight_parts(setup), PlanComponent::Weights), 140e9 / 8);
}

// Korthikanti et al., arXiv:2205.05198, equation 2: 10 + 24 / t bytes.
TEST(PlanTensorParallel, divides_weights_and_most_of_the_activations) {
  JobSetup setup = on_gpus(175e9, 8, Sharding::None);
  setup.tensor_parallel = 8;
  setup.vocabulary = 1;
  setup.sequence = 2048;
  EXPECT_DOUBLE_EQ(state_of_one_gpu(setup), 16 * 175e9 / 8);
  EXPECT_NEAR(device_of(activation_parts(setup), PlanComponent::Activations),
              (10 + 24.0 / 8) * 2048 * 12288 * 96, 1e6);
}

TEST(PlanTensorParallel, sharding_is_between_the_copies_that_are_left) {
  JobSetup setup = on_gpus(70e9, 16, Sharding::Zero3);
  setup.tensor_parallel = 8;
  EXPECT_EQ(data_parallel(setup), 2);
  EXPECT_DOUBLE_EQ(state_of_one_gpu(setup), 16 * 70e9 / 16);
  setup.sharding = Sharding::Zero1;
  EXPECT_DOUBLE_EQ(state_of_one_gpu(setup), 4 * 70e9 / 8 + 12 * 70e9 / 16);
}

TEST(PlanGpus, each_gpu_has_a_process_on_the_host) {
  JobSetup setup = on_gpus(7e9, 1, Sharding::None);
  setup.workers = 4;
  const Plan one = make_plan(setup);
  setup.gpus = 8;
  const Plan eight = make_plan(setup);
  EXPECT_NEAR(eight.host.estimate, 8 * one.host.estimate, 1);
  EXPECT_DOUBLE_EQ(eight.device.estimate, one.device.estimate) << "without sharding each GPU holds all of it";
}

TEST(PlanGpus, offloaded_states_of_all_processes_add_up_on_the_host) {
  JobSetup setup = on_gpus(7e9, 8, Sharding::Zero2);
  setup.offloads_optimizer = true;
  EXPECT_DOUBLE_EQ(host_of(make_plan(setup).parts, PlanComponent::OptimizerStates), 12 * 7e9);
}

TEST(PlanGpus, sharding_is_offered_to_several_gpus_only) {
  const auto is_offered = [](const JobSetup& setup) {
    const auto ladder = make_ladder(setup);
    return std::any_of(ladder.begin(), ladder.end(),
                       [](const auto& knob) { return knob.change == "shard the weights too"; });
  };
  EXPECT_TRUE(is_offered(on_gpus(7e9, 8, Sharding::None)));
  EXPECT_TRUE(is_offered(on_gpus(7e9, 8, Sharding::Zero2)));
  EXPECT_FALSE(is_offered(on_gpus(7e9, 8, Sharding::Zero3)));
  EXPECT_FALSE(is_offered(on_gpus(7e9, 1, Sharding::None)));
}

}  // namespace
}  // namespace lowtide::plan
