// What training adds to each parameter that is trained: its gradient and the states of the optimizer.
//
// torch.optim creates states in the type of the parameter (torch.zeros_like), so AdamW on weights in 16 bits
// takes 2 + 2 + 4 bytes per parameter. Mixed precision takes 2 + 2 + 12: a float32 copy and two float32
// moments (ZeRO, arXiv:1910.02054, section 3.1).

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

constexpr double kCopyBytes = 4;  // of the weights, in float32

struct StateBytes {
  model::Range per_parameter;
  std::string assumption;
};

// Adapters of LoRA are in float32.
bool has_sixteen_bit_weights(const JobSetup& setup) {
  return !setup.lora_rank && weight_bytes(setup.precision) == 2;
}

StateBytes optimizer_bytes(const JobSetup& setup) {
  const bool is_pure = has_sixteen_bit_weights(setup) && !setup.mixed_precision;
  const double state = is_pure ? 2 : 4;
  const std::string type = is_pure ? "in the type of the weights, as torch.optim creates them" : "";
  switch (setup.optimizer) {
    case OptimizerKind::AdamW:
    case OptimizerKind::Adam:
      return {exactly(2 * state), type};
    case OptimizerKind::Adam8bit:
      // Two bytes, and two float32 scales per block of 256 values (2048 in older versions of bitsandbytes).
      return {about(2 + 2 * 4.0 / 256, 2 + 2 * 4.0 / 2048, 2 + 2 * 4.0 / 256), ""};
    case OptimizerKind::Adafactor:
      // transformers' guide: "a bit more than 4 bytes". Without a first moment, only sums of rows and
      // columns.
      return {about(4, 0.01, 4.2), "with a first moment; without one only sums of rows and columns"};
    case OptimizerKind::SgdMomentum:
      return {exactly(state), type};
    case OptimizerKind::Sgd:
      break;
  }
  return {exactly(0), ""};
}

// With the float32 copy that the optimizer updates.
StateBytes state_bytes(const JobSetup& setup) {
  StateBytes states = optimizer_bytes(setup);
  if (!has_sixteen_bit_weights(setup) || !setup.mixed_precision) return states;
  model::Range& bytes = states.per_parameter;
  bytes = {bytes.estimate + kCopyBytes, bytes.low + kCopyBytes, bytes.high + kCopyBytes};
  states.assumption +=
      (states.assumption.empty() ? "" : "; ") + std::string("with a float32 copy of the weights");
  return states;
}

PlanParts training_state_from_tensors(const JobSetup& setup) {
  PlanParts parts;
  const model::TensorFacts& facts = *setup.tensors;
  if (facts.gradient_bytes > 0) {
    parts.push_back(model_part(setup, PlanComponent::Gradients, exactly(facts.gradient_bytes),
                               "its tensors: one of the shape and type of each trained tensor"));
  }
  if (facts.optimizer_bytes > 0) {
    parts.push_back(model_part(setup, PlanComponent::OptimizerStates, exactly(facts.optimizer_bytes),
                               "its tensors: the others of these shapes"));
  }
  return parts;
}

}  // namespace

PlanParts training_state_parts(const JobSetup& setup) {
  if (setup.tensors) return training_state_from_tensors(setup);
  PlanParts parts;
  const Shares shares = shares_of(setup);
  const double trained = trained_parameters(setup);
  const bool is_sixteen = has_sixteen_bit_weights(setup);
  const double gradient = is_sixteen ? 2 : 4;
  const double most = is_sixteen && setup.mixed_precision ? 4 : gradient;
  parts.push_back(model_part(
      setup, PlanComponent::Gradients,
      about(trained * gradient, trained * gradient, trained * most) * (1 / shares.gradients),
      fmt::format("{} trained parameters x {} bytes{}", count_words(trained), factor_words(gradient),
                  divided_by(shares.gradients)),
      most > gradient ? "in the type of the weights; Megatron and autocast keep them in float32" : ""));
  const StateBytes states = state_bytes(setup);
  if (states.per_parameter.high > 0) {
    JobSetup where = setup;
    where.on_cpu = setup.on_cpu || setup.offloads_optimizer;
    parts.push_back(model_part(where, PlanComponent::OptimizerStates,
                               states.per_parameter * (trained / shares.states),
                               fmt::format("{} trained parameters x {} bytes ({}){}", count_words(trained),
                                           factor_words(states.per_parameter.estimate),
                                           to_string(setup.optimizer), divided_by(shares.states)),
                               states.assumption));
  }
  return parts;
}

}  // namespace lowtide::plan
