// Weights: how many, and how many bytes each of them takes.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::PlanComponent;
using model::Precision;

// bitsandbytes quantizes linear layers; embeddings and the output layer stay in 16 bits. Both are vocabulary
// x width. Small models share one matrix for both: Llama 3.2 1B and 3B, Qwen2.5 up to 3B.
constexpr double kSharesEmbeddings = 4e9;     // parameters; larger models have two matrices
constexpr double kSmallVocabulary = 32'000;   // Llama 2
constexpr double kMostLeft = 0.26;            // Qwen2.5-VL 3B, if its vision tower is not quantized
constexpr double kMostLeftOfTinyModel = 0.9;  // a vocabulary can be larger than the rest of a model
constexpr double kSixteenBitBytes = 2;

// One float32 scale per block of 64; with double quantization it is one byte per block (QLoRA,
// arXiv:2305.14314: 0.5 and 0.127 bits per parameter).
constexpr double kBlock = 64;
constexpr double kScaleBytes = 4;
constexpr double kScaleBytesQuantized = 1;

// PEFT keeps LoRA weights in float32 if the others have 16 bits or fewer (autocast_adapter_dtype).
constexpr double kLoraBytes = 4;

// Sharded weights are gathered layer by layer: the current layer and the next one, which is prefetched.
constexpr double kGatheredLayers = 2;

bool is_quantized(Precision precision) {
  return precision == Precision::FourBit || precision == Precision::EightBit;
}

std::string precision_note(const JobSetup& setup) {
  if (has_frozen_weights(setup) || weight_bytes(setup.precision) != kSixteenBitBytes) return "";
  return setup.mixed_precision ? "mixed precision; the float32 copy is counted with the optimizer states"
                               : "no float32 copy of the weights; --mixed-precision adds one";
}

model::PlanPart plain_weights(const JobSetup& setup) {
  const double bytes = weight_bytes(setup.precision);
  const double share = shares_of(setup).weights;
  const double all = setup.parameters * bytes;
  const double gathered =
      share > setup.tensor_parallel ? kGatheredLayers * all / model_shape(setup).layers : 0;
  std::string note = precision_note(setup);
  if (gathered > 0)
    note += (note.empty() ? "" : "; ") + std::string("up to two layers are gathered at a time");
  return model_part(setup, PlanComponent::Weights,
                    about(all / share, all / share, all / share + gathered / setup.tensor_parallel),
                    fmt::format("{} parameters x {} bytes{}", count_words(setup.parameters),
                                factor_words(bytes), divided_by(share)),
                    std::move(note));
}

// The share of the parameters that is not quantized.
double left_in_sixteen(const JobSetup& setup, double vocabulary) {
  const double matrices = setup.parameters < kSharesEmbeddings ? 1 : 2;
  return std::min(kMostLeftOfTinyModel, matrices * vocabulary * model_shape(setup).hidden / setup.parameters);
}

PlanParts quantized_weights(const JobSetup& setup) {
  const double bytes = weight_bytes(setup.precision);
  const double share = shares_of(setup).weights;
  const auto all = [&](double left) {
    return setup.parameters * (bytes * (1 - left) + kSixteenBitBytes * left) / share;
  };
  const double left = left_in_sixteen(setup, setup.vocabulary.value_or(kAssumedVocabulary));
  const double least_left = left_in_sixteen(setup, setup.vocabulary.value_or(kSmallVocabulary));
  PlanParts parts;
  parts.push_back(model_part(
      setup, PlanComponent::Weights, about(all(left), all(least_left), all(std::max(left, kMostLeft))),
      fmt::format("{} parameters x {} bytes, {:.0f}% of them x 2{}", count_words(setup.parameters),
                  factor_words(bytes), 100 * left, divided_by(share)),
      fmt::format("embeddings and output layer stay in 16 bits: a vocabulary of {}{}",
                  count_words(setup.vocabulary.value_or(kAssumedVocabulary)),
                  setup.vocabulary ? "" : "; set --vocabulary for a better estimate")));
  if (setup.precision == Precision::FourBit) {
    const double once = setup.parameters * kScaleBytes / kBlock / share;
    const double twice = setup.parameters * kScaleBytesQuantized / kBlock / share;
    parts.push_back(model_part(setup, PlanComponent::QuantizationConstants, about(twice, twice, once),
                               fmt::format("{} parameters x 1/64 byte: a scale per block of 64{}",
                                           count_words(setup.parameters), divided_by(share)),
                               "double quantization of the scales; without it 4/64 byte"));
  }
  return parts;
}

PlanParts weights_from_tensors(const JobSetup& setup) {
  const model::TensorFacts& facts = *setup.tensors;
  PlanParts parts;
  if (setup.has_lora_tensors) {
    if (facts.frozen_bytes > 0) {
      parts.push_back(model_part(setup, PlanComponent::Weights, exactly(facts.frozen_bytes),
                                 "its tensors that require no gradient",
                                 "activations and batches at the time of the snapshot are included"));
    }
    parts.push_back(model_part(setup, PlanComponent::LoraWeights, exactly(facts.trained_bytes),
                               "its tensors that require a gradient"));
    return parts;
  }
  const double all = facts.frozen_bytes + facts.trained_bytes;
  if (all <= 0) return parts;
  parts.push_back(model_part(
      setup, PlanComponent::Weights, about(all, std::max(facts.trained_bytes, 0.0), all),
      fmt::format("its tensors: {} require a gradient, {} do not", base::format_bytes(facts.trained_bytes),
                  base::format_bytes(facts.frozen_bytes)),
      facts.frozen_bytes > 0 ? "tensors without a gradient may be weights, buffers, batches or outputs"
                             : ""));
  return parts;
}

}  // namespace

PlanParts weight_parts(const JobSetup& setup) {
  if (setup.tensors) return weights_from_tensors(setup);
  PlanParts parts =
      is_quantized(setup.precision) ? quantized_weights(setup) : PlanParts{plain_weights(setup)};
  if (setup.lora_rank) {
    const ModelShape shape = model_shape(setup);
    const double count = setup.trainable.value_or(lora_parameters(setup));
    const bool is_given = setup.trainable || !shape.is_assumed;
    const double share = shares_of(setup).weights;
    const double bytes = count * kLoraBytes / share;
    // Half to twice: that covers a model as slim as Qwen2.5-VL 3B and one as broad as Llama 2 7B.
    parts.push_back(model_part(
        setup, PlanComponent::LoraWeights,
        about(bytes, bytes * (is_given ? 0.5 : 0.25), bytes * (is_given ? 1 : 2)),
        fmt::format("{} parameters x 4 bytes: rank {} for 7 projections in {} layers{}", count_words(count),
                    factor_words(*setup.lora_rank), factor_words(shape.layers), divided_by(share)),
        is_given ? "stored in float32"
                 : fmt::format("stored in float32; a width of {:.0f} and {:.0f} layers, set --hidden and "
                               "--layers for a better estimate",
                               shape.hidden, shape.layers)));
  }
  return parts;
}

}  // namespace lowtide::plan
