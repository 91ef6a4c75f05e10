#include "plan/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace lowtide::plan {
namespace {

// Published shapes. Models of one size are built much alike, so a size within kSameSize of one of these has
// its shape; between two of them, width and layers are interpolated.
struct PublishedShape {
  double parameters;
  double hidden;
  double layers;
};
constexpr std::array kPublishedShapes = {
    PublishedShape{124e6, 768, 12},      // GPT-2
    PublishedShape{355e6, 1024, 24},     // GPT-2 medium
    PublishedShape{760e6, 1536, 24},     // GPT-3, arXiv:2005.14165, table 2.1
    PublishedShape{1.3e9, 2048, 24},     // the same
    PublishedShape{2.7e9, 2560, 32},     // the same
    PublishedShape{3.2e9, 3072, 28},     // Llama 3.2 3B, config.json
    PublishedShape{6.7e9, 4096, 32},     // LLaMA 7B, arXiv:2302.13971, table 2
    PublishedShape{8.0e9, 4096, 32},     // Llama 3 8B, arXiv:2407.21783, table 3
    PublishedShape{13.0e9, 5120, 40},    // LLaMA 13B
    PublishedShape{32.5e9, 6656, 60},    // LLaMA 33B
    PublishedShape{69e9, 8192, 80},      // Llama 2 70B
    PublishedShape{175e9, 12288, 96},    // GPT-3
    PublishedShape{405e9, 16384, 126}};  // Llama 3 405B
constexpr double kSameSize = 1.1;

// A transformer has about 12 x layers x hidden^2 parameters (Kaplan et al., arXiv:2001.08361).
constexpr double kParametersPerSquare = 12;

// The inner width of a block with a gate (SwiGLU) that has as many parameters as two matrices of 4 x hidden
// (LLaMA, arXiv:2302.13971).
constexpr double kFeedForwardPerHidden = 8.0 / 3;

// Attention has four projections of hidden x hidden, of which keys and values are narrower with grouped-query
// attention; the feed-forward block has three of hidden x feed-forward.
constexpr double kFullProjections = 2;
constexpr double kKeyValueProjections = 2;
constexpr double kFeedForwardProjections = 3;

// The size of an image if none is given: OpenAI's guide scales images of chat messages to fit into this
// square. Its range is from what Qwen2-VL's model card advises (1280 tokens of 28 x 28 pixels) to the most
// that its processor accepts (16384 tokens).
constexpr double kAssumedPixels = 2048.0 * 2048.0;
constexpr double kPixelsPerToken = 28.0 * 28.0;
constexpr double kAdvisedTokens = 1280;
constexpr double kMostTokens = 16384;

constexpr double kAssumedSequence = 2048;

// Three channels in float32; input ids, attention mask and labels of a token in int64.
constexpr double kBytesPerSeenPixel = 3 * 4;
constexpr double kBytesPerToken = 3 * 8;

double pixels_of(const model::ImageSize& size) {
  return static_cast<double>(size.width) * static_cast<double>(size.height);
}

// Beyond the table, width and layers grow alike: parameters are about their product times the width.
ModelShape scaled(const PublishedShape& from, double parameters) {
  const double factor = std::cbrt(parameters / from.parameters);
  return {.hidden = from.hidden * factor, .layers = from.layers * factor};
}

ModelShape usual_shape(double parameters) {
  const auto ratio = [&](const PublishedShape& shape) {
    return std::max(shape.parameters / parameters, parameters / shape.parameters);
  };
  const auto nearest = std::min_element(kPublishedShapes.begin(), kPublishedShapes.end(),
                                        [&](const auto& a, const auto& b) { return ratio(a) < ratio(b); });
  if (ratio(*nearest) <= kSameSize) return {.hidden = nearest->hidden, .layers = nearest->layers};
  if (parameters < kPublishedShapes.front().parameters) return scaled(kPublishedShapes.front(), parameters);
  if (parameters > kPublishedShapes.back().parameters) return scaled(kPublishedShapes.back(), parameters);
  const auto above = std::find_if(kPublishedShapes.begin(), kPublishedShapes.end(),
                                  [&](const auto& shape) { return shape.parameters > parameters; });
  const PublishedShape& low = *std::prev(above);
  const double part = std::log(parameters / low.parameters) / std::log(above->parameters / low.parameters);
  return {.hidden = low.hidden * std::pow(above->hidden / low.hidden, part),
          .layers = low.layers * std::pow(above->layers / low.layers, part)};
}

}  // namespace

ModelShape model_shape(const JobSetup& setup) {
  ModelShape shape;
  if (setup.hidden && setup.layers) {
    shape = {.hidden = *setup.hidden, .layers = *setup.layers};
  } else if (setup.hidden) {
    shape = {.hidden = *setup.hidden,
             .layers = setup.parameters / (kParametersPerSquare * *setup.hidden * *setup.hidden)};
  } else if (setup.layers) {
    shape = {.hidden = std::sqrt(setup.parameters / (kParametersPerSquare * *setup.layers)),
             .layers = *setup.layers};
  } else {
    shape = usual_shape(setup.parameters);
  }
  shape.is_assumed = !setup.hidden || !setup.layers;
  shape.layers = std::max(1.0, std::round(shape.layers));
  shape.hidden = std::max(1.0, std::round(shape.hidden));
  shape.feed_forward = setup.feed_forward.value_or(std::round(kFeedForwardPerHidden * shape.hidden));
  if (setup.heads && setup.kv_heads) shape.kv_share = *setup.kv_heads / *setup.heads;
  return shape;
}

SampleShape sample_shape(const JobSetup& setup) {
  SampleShape shape;
  if (setup.images_per_sample > 0) {
    shape.is_size_assumed = !setup.image && !setup.example_bytes;
    shape.pixels = setup.image ? pixels_of(*setup.image)
                   : setup.example_bytes
                       ? *setup.example_bytes / kOpenedBytesPerPixel / setup.images_per_sample
                       : kAssumedPixels;
    shape.low_pixels = shape.is_size_assumed ? kAdvisedTokens * kPixelsPerToken : shape.pixels;
    shape.high_pixels = shape.is_size_assumed ? kMostTokens * kPixelsPerToken : shape.pixels;
    shape.seen_pixels = setup.resized ? pixels_of(*setup.resized) : shape.pixels;
    shape.image_tokens =
        setup.images_per_sample * std::min(kMostTokens, std::ceil(shape.seen_pixels / kPixelsPerToken));
  }
  shape.is_sequence_assumed = !setup.sequence;
  shape.text_tokens = setup.sequence.value_or(kAssumedSequence);
  shape.tensor_bytes = setup.images_per_sample * shape.seen_pixels * kBytesPerSeenPixel +
                       (shape.text_tokens + shape.image_tokens) * kBytesPerToken;
  return shape;
}

double lora_parameters(const JobSetup& setup) {
  if (!setup.lora_rank) return 0;
  const ModelShape shape = model_shape(setup);
  // A pair of matrices beside each projection: rank x (its inputs + its outputs).
  return *setup.lora_rank * shape.layers *
         (kFullProjections * 2 * shape.hidden + kKeyValueProjections * shape.hidden * (1 + shape.kv_share) +
          kFeedForwardProjections * (shape.hidden + shape.feed_forward));
}

double trained_parameters(const JobSetup& setup) {
  if (setup.tensors) return setup.tensors->trained_values;
  if (setup.trainable) return *setup.trainable;
  return setup.lora_rank ? lora_parameters(setup) : setup.parameters;
}

bool has_frozen_weights(const JobSetup& setup) {
  if (setup.tensors) return setup.has_lora_tensors;
  return setup.lora_rank || (setup.trainable && *setup.trainable < setup.parameters);
}

double weight_bytes(model::Precision precision) {
  switch (precision) {
    case model::Precision::FourBit:
      return 0.5;
    case model::Precision::EightBit:
      return 1;
    case model::Precision::Bf16:
    case model::Precision::Fp16:
      return 2;
    case model::Precision::Fp32:
      break;
  }
  return 4;
}

}  // namespace lowtide::plan
