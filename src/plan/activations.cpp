// What the forward pass keeps for the backward pass.
//
// A layer of a transformer keeps 34 bytes per token and unit of width: 16 numbers of 16 bits, and two dropout
// masks of one byte (Korthikanti et al., arXiv:2205.05198, equation 1). In float32 that is 66. Tensor
// parallelism divides 24 of the 34 bytes (equation 2). A layer that is recomputed keeps its input alone. The
// attention scores are left out, since fused attention never stores them.

#include <fmt/format.h>

#include <string>

#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

// Numbers per token and unit of width; the masks are bytes.
constexpr double kWholeNumbers = 4;     // on every GPU: inputs of attention, feed-forward and both norms
constexpr double kMaskBytes = 2;        // on every GPU
constexpr double kDividedNumbers = 12;  // divided by tensor parallelism
constexpr double kKeysAndValues = 2;    // of these; fewer with grouped-query attention
constexpr double kRecomputedNumbers = 1;

constexpr double kScoresPerHead = 5;  // x heads x tokens^2, if attention is not fused
constexpr double kHeadWidth = 128;

// Logits in 16 bits and again in float32 for the loss. Fused losses store none, plain ones the gradient too.
constexpr double kLogitBytes = 6;
constexpr double kMostLogitBytes = 10;

// Bytes of one layer per token and unit of width, on one GPU.
double layer_bytes(const JobSetup& setup, const ModelShape& shape, double number_bytes) {
  const double divided = kDividedNumbers - kKeysAndValues * (1 - shape.kv_share);
  return number_bytes * kWholeNumbers + kMaskBytes + number_bytes * divided / setup.tensor_parallel;
}

}  // namespace

PlanParts activation_parts(const JobSetup& setup) {
  if (setup.tensors || setup.parameters <= 0) return {};
  const ModelShape shape = model_shape(setup);
  const SampleShape sample = sample_shape(setup);
  const double tokens = sample.text_tokens + sample.image_tokens;
  const double number_bytes = setup.precision == model::Precision::Fp32 ? 4 : 2;
  const double each = layer_bytes(setup, shape, number_bytes);
  const double recomputed = number_bytes * kRecomputedNumbers;

  const double units = setup.batch * tokens * shape.hidden;
  const double of_layers =
      setup.checkpointing ? units * (recomputed * shape.layers + each) : units * each * shape.layers;
  const double logits =
      setup.batch * tokens * setup.vocabulary.value_or(kAssumedVocabulary) / setup.tensor_parallel;
  const double heads = setup.heads.value_or(shape.hidden / kHeadWidth);
  const double scores =
      setup.batch * kScoresPerHead * heads * tokens * tokens * (number_bytes / 2) / setup.tensor_parallel;
  const double most_scores = setup.checkpointing ? scores : scores * shape.layers;

  std::string assumption = "a transformer with fused attention; logits of ";
  assumption += setup.vocabulary ? "the vocabulary" : "a vocabulary of 128,256";
  if (sample.is_sequence_assumed) assumption += "; 2,048 tokens of text";
  if (sample.image_tokens > 0) assumption += "; one token per 28 x 28 pixels";
  if (shape.is_assumed) {
    assumption += fmt::format("; a width of {:.0f} and {:.0f} layers", shape.hidden, shape.layers);
  }
  const std::string per_unit =
      setup.checkpointing ? fmt::format("({} bytes x {:.0f} layers + {} bytes of one)",
                                        factor_words(recomputed), shape.layers, factor_words(each))
                          : fmt::format("{} bytes x {:.0f} layers", factor_words(each), shape.layers);
  return {model_part(setup, model::PlanComponent::Activations,
                     about(of_layers + logits * kLogitBytes, of_layers / 2,
                           of_layers * 1.5 + logits * kMostLogitBytes + most_scores),
                     fmt::format("{} x {} tokens x width {:.0f} x {}, and logits", count_words(setup.batch),
                                 count_words(tokens), shape.hidden, per_unit),
                     assumption)};
}

}  // namespace lowtide::plan
