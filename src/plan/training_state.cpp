// What training adds to each parameter that is trained: its gradient and the states of the optimizer.

#include <fmt/format.h>

#include <string>

#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::OptimizerKind;
using model::PlanComponent;

struct StateBytes {
  model::Range per_parameter;
  std::string assumption;
};

// torch.optim makes states of the type of the parameter: half of it where that has 16 bits.
bool is_trained_in_sixteen(const model::TrainingSetup& setup) {
  return !setup.lora_rank && weight_bytes(setup.precision) == 2;
}

StateBytes state_bytes(const model::TrainingSetup& setup) {
  const bool is_sixteen = is_trained_in_sixteen(setup);
  switch (setup.optimizer) {
    case OptimizerKind::AdamW:
    case OptimizerKind::Adam:
      return {about(8, is_sixteen ? 4 : 8, 8),
              is_sixteen ? "two float32 moments; in 16 bits where the weights have no float32 copy" : ""};
    case OptimizerKind::Adam8bit:
      // Two bytes, and two float32 scales per block of 256 values (2048 in older versions of bitsandbytes).
      return {about(2 + 2 * 4.0 / 256, 2 + 2 * 4.0 / 2048, 2 + 2 * 4.0 / 256), ""};
    case OptimizerKind::Adafactor:
      // transformers' guide: "a bit more than 4 bytes"; with no first moment only sums of rows and columns.
      return {about(4, 0.01, 4.2), "with a first moment; without one only sums of rows and columns"};
    case OptimizerKind::SgdMomentum:
      return {about(4, is_sixteen ? 2 : 4, 4), ""};
    case OptimizerKind::Sgd:
      break;
  }
  return {exactly(0), ""};
}

PlanParts training_state_told_by_tensors(const model::TrainingSetup& setup) {
  PlanParts parts;
  const model::TensorFacts& facts = *setup.tensors;
  if (facts.gradient_bytes > 0) {
    parts.push_back(model_part(setup, PlanComponent::Gradients, exactly(facts.gradient_bytes),
                               "its own tensors: one of the shape and type of each that is trained"));
  }
  if (facts.optimizer_bytes > 0) {
    parts.push_back(model_part(setup, PlanComponent::OptimizerStates, exactly(facts.optimizer_bytes),
                               "its own tensors: the further ones of these shapes"));
  }
  return parts;
}

}  // namespace

PlanParts training_state_parts(const model::TrainingSetup& setup) {
  if (setup.tensors) return training_state_told_by_tensors(setup);
  PlanParts parts;
  const double trained = trained_parameters(setup);
  const double gradient = is_trained_in_sixteen(setup) ? 2 : 4;
  parts.push_back(model_part(
      setup, PlanComponent::Gradients, about(trained * gradient, trained * gradient, trained * 4),
      fmt::format("{} trained parameters x {} bytes", count_words(trained), factor_words(gradient)),
      gradient < 4 ? "of the type of the weights; mixed precision has them in float32" : ""));
  const StateBytes states = state_bytes(setup);
  if (states.per_parameter.high > 0) {
    model::TrainingSetup where = setup;
    where.on_cpu = setup.on_cpu || setup.offloads_optimizer;
    parts.push_back(
        model_part(where, PlanComponent::OptimizerStates, states.per_parameter * trained,
                   fmt::format("{} trained parameters x {} bytes ({})", count_words(trained),
                               factor_words(states.per_parameter.estimate), to_string(setup.optimizer)),
                   states.assumption));
  }
  return parts;
}

}  // namespace lowtide::plan
