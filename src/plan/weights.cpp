// Weights: how many, and how many bytes each is stored in.

#include <fmt/format.h>

#include <string>

#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;
using model::Precision;

// bitsandbytes quantises linear layers; embeddings and norms stay in 16 bits. They are 4 % of Llama 2 7B, 8 %
// of Qwen2.5-VL 3B, 12 % of Llama 3.2 3B, and 26 % of Qwen2.5-VL 3B where its vision tower is left out too.
constexpr double kLeftInSixteen = 0.08;
constexpr double kLeastLeft = 0.04;
constexpr double kMostLeft = 0.26;
constexpr double kSixteenBitBytes = 2;

// One float32 scale per block of 64; quantised once more it is a byte per block (QLoRA, arXiv:2305.14314: 0.5
// and 0.127 bits per parameter).
constexpr double kBlock = 64;
constexpr double kScaleBytes = 4;
constexpr double kScaleBytesQuantised = 1;

// Mixed precision keeps a float32 copy of weights that are trained (Hugging Face, "anatomy of model's
// memory": 6).
constexpr double kMixedBytes = 6;

// PEFT holds LoRA's weights in float32 where the others are in 16 bits or fewer (autocast_adapter_dtype).
constexpr double kLoraBytes = 4;

bool is_quantised(Precision precision) {
  return precision == Precision::FourBit || precision == Precision::EightBit;
}

model::PlanPart plain_weights(const model::TrainingSetup& setup) {
  const double bytes = weight_bytes(setup.precision);
  const bool is_all_trained = !setup.lora_rank && !setup.trainable;
  const bool may_be_mixed = is_all_trained && bytes == kSixteenBitBytes;
  return model_part(
      setup, PlanComponent::Weights,
      about(setup.parameters * bytes, setup.parameters * bytes,
            setup.parameters * (may_be_mixed ? kMixedBytes : bytes)),
      fmt::format("{} parameters x {} bytes", count_words(setup.parameters), factor_words(bytes)),
      may_be_mixed ? "no float32 copy of them; mixed precision keeps one, 6 bytes in all" : "");
}

PlanParts quantised_weights(const model::TrainingSetup& setup) {
  const double bytes = weight_bytes(setup.precision);
  const auto all = [&](double left) {
    return setup.parameters * (bytes * (1 - left) + kSixteenBitBytes * left);
  };
  PlanParts parts;
  parts.push_back(model_part(
      setup, PlanComponent::Weights, about(all(kLeftInSixteen), all(kLeastLeft), all(kMostLeft)),
      fmt::format("{} parameters x {} bytes, {:.0f} % of them x 2", count_words(setup.parameters),
                  factor_words(bytes), 100 * kLeftInSixteen),
      "embeddings and norms stay in 16 bits: 4 % of a model, or 26 % with a vision tower left out"));
  if (setup.precision == Precision::FourBit) {
    const double once = setup.parameters * kScaleBytes / kBlock;
    const double twice = setup.parameters * kScaleBytesQuantised / kBlock;
    parts.push_back(model_part(
        setup, PlanComponent::QuantizationConstants, about(twice, twice, once),
        fmt::format("{} parameters x 1/64 byte: a scale per block of 64", count_words(setup.parameters)),
        "scales quantised once more (double quantisation); without that 4/64"));
  }
  return parts;
}

PlanParts weights_told_by_tensors(const model::TrainingSetup& setup) {
  PlanParts parts;
  const model::TensorFacts& facts = *setup.tensors;
  if (facts.frozen_bytes > 0) {
    parts.push_back(model_part(setup, PlanComponent::Weights, exactly(facts.frozen_bytes),
                               "its own tensors that require no gradient",
                               "activations that were alive at that moment are among them"));
  }
  if (facts.trained_bytes > 0) {
    parts.push_back(model_part(setup,
                               facts.frozen_bytes > 0 ? PlanComponent::LoraWeights : PlanComponent::Weights,
                               exactly(facts.trained_bytes), "its own tensors that require a gradient"));
  }
  return parts;
}

}  // namespace

PlanParts weight_parts(const model::TrainingSetup& setup) {
  if (setup.tensors) return weights_told_by_tensors(setup);
  PlanParts parts =
      is_quantised(setup.precision) ? quantised_weights(setup) : PlanParts{plain_weights(setup)};
  if (setup.lora_rank) {
    const ModelShape shape = model_shape(setup);
    const double count = setup.trainable.value_or(lora_parameters(setup));
    const bool is_told = setup.trainable || !shape.is_assumed;
    // Half to twice: by then a model is as slim as Qwen2.5-VL 3B or as broad as Llama 2 7B.
    parts.push_back(model_part(
        setup, PlanComponent::LoraWeights,
        about(count * kLoraBytes, count * kLoraBytes * (is_told ? 0.5 : 0.25),
              count * kLoraBytes * (is_told ? 1 : 2)),
        fmt::format("{} parameters x 4 bytes: rank {} beside 7 projections of {} layers", count_words(count),
                    factor_words(*setup.lora_rank), factor_words(shape.layers)),
        is_told ? "held in float32"
                : fmt::format("held in float32; a width of {:.0f} and {:.0f} layers, which "
                              "--hidden and --layers tell better",
                              shape.hidden, shape.layers)));
  }
  return parts;
}

}  // namespace lowtide::plan
