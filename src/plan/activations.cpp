// What the forward pass leaves for the backward pass.
//
// A layer of a transformer leaves 34 bytes per token and unit of width in 16 bits, and 2 where it is
// recomputed (Korthikanti and others, "Reducing Activation Recomputation in Large Transformer Models",
// arXiv:2205.05198, equations 1 and 2, without the attention scores, which fused attention never stores).

#include <fmt/format.h>

#include <string>

#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

constexpr double kPerLayer = 34;
constexpr double kPerLayerRecomputed = 2;
constexpr double kScoresPerHead = 5;  // x heads x tokens^2, where attention is not fused
constexpr double kHeadWidth = 128;

// Logits in 16 bits and again in float32 for the loss; fused losses store none, plain ones their gradient
// too.
constexpr double kLogitBytes = 6;
constexpr double kMostLogitBytes = 10;
constexpr double kAssumedVocabulary = 128'256;  // Llama 3's

}  // namespace

PlanParts activation_parts(const model::TrainingSetup& setup) {
  if (setup.tensors || setup.parameters <= 0) return {};
  const ModelShape shape = model_shape(setup);
  const SampleShape sample = sample_shape(setup);
  const double tokens = sample.text_tokens + sample.image_tokens;
  const double wide = setup.precision == model::Precision::Fp32 ? 2 : 1;  // the formula is of 16 bits

  const double of_layer = setup.batch * tokens * shape.hidden * kPerLayer * wide;
  const double of_layers =
      setup.checkpointing
          ? setup.batch * tokens * shape.hidden * kPerLayerRecomputed * wide * shape.layers + of_layer
          : of_layer * shape.layers;
  const double logits = setup.batch * tokens * setup.vocabulary.value_or(kAssumedVocabulary);
  const double scores = setup.batch * kScoresPerHead * (shape.hidden / kHeadWidth) * tokens * tokens * wide;
  const double most_scores = setup.checkpointing ? scores : scores * shape.layers;

  std::string assumption = "a transformer with fused attention; logits of ";
  assumption += setup.vocabulary ? "the vocabulary" : "a vocabulary of 128,256";
  if (sample.is_sequence_assumed) assumption += "; 2,048 tokens of text";
  if (sample.image_tokens > 0) assumption += "; a token per 28 x 28 pixels";
  if (shape.is_assumed) {
    assumption += fmt::format("; a width of {:.0f} and {:.0f} layers", shape.hidden, shape.layers);
  }
  return {
      model_part(setup, model::PlanComponent::Activations,
                 about(of_layers + logits * kLogitBytes, of_layers / 2,
                       of_layers * 1.5 + logits * kMostLogitBytes + most_scores),
                 fmt::format("{} x {} tokens x width {:.0f} x {}, and logits", count_words(setup.batch),
                             count_words(tokens), shape.hidden,
                             setup.checkpointing
                                 ? fmt::format("(2 bytes x {:.0f} layers + 34 bytes of one)", shape.layers)
                                 : fmt::format("34 bytes x {:.0f} layers", shape.layers)),
                 assumption)};
}

}  // namespace lowtide::plan
