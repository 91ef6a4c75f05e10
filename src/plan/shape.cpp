#include "plan/shape.h"

#include <algorithm>
#include <cmath>

namespace lowtide::plan {
namespace {

// A transformer has about 12 x layers x hidden^2 parameters (Kaplan and others, arXiv:2001.08361), and is
// about 100 times as wide as deep: Llama 3.2 3B 110, Qwen2.5-VL 3B 57, Llama 2 7B 128, 70B 102.
constexpr double kParametersPerSquare = 12;
constexpr double kWidthPerLayer = 100;

// Of which 4 x hidden is the inner width of a block.
constexpr double kFeedForwardPerHidden = 4;

// Four attention projections of hidden x hidden, and three of hidden x feed-forward.
constexpr double kAttentionProjections = 4;
constexpr double kFeedForwardProjections = 3;

// The size of an image where none is told: OpenAI's guide has images of chat messages scaled to fit into this
// square. What else it may be: from what Qwen2-VL's card advises (1280 tokens of 28 x 28 pixels) to what its
// processor lets through (16384 of them).
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

}  // namespace

ModelShape model_shape(const model::TrainingSetup& setup) {
  ModelShape shape;
  shape.is_assumed = !setup.hidden || !setup.layers;
  if (setup.hidden && setup.layers) {
    shape.hidden = *setup.hidden;
    shape.layers = *setup.layers;
  } else if (setup.hidden) {
    shape.hidden = *setup.hidden;
    shape.layers = setup.parameters / (kParametersPerSquare * shape.hidden * shape.hidden);
  } else if (setup.layers) {
    shape.layers = *setup.layers;
    shape.hidden = std::sqrt(setup.parameters / (kParametersPerSquare * shape.layers));
  } else {
    shape.layers = std::cbrt(setup.parameters / (kParametersPerSquare * kWidthPerLayer * kWidthPerLayer));
    shape.hidden = kWidthPerLayer * shape.layers;
  }
  shape.layers = std::max(1.0, std::round(shape.layers));
  shape.hidden = std::max(1.0, std::round(shape.hidden));
  shape.feed_forward = setup.feed_forward.value_or(kFeedForwardPerHidden * shape.hidden);
  return shape;
}

SampleShape sample_shape(const model::TrainingSetup& setup) {
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

double lora_parameters(const model::TrainingSetup& setup) {
  if (!setup.lora_rank) return 0;
  const ModelShape shape = model_shape(setup);
  // A pair of matrices beside each projection: rank x (its inputs + its outputs).
  return *setup.lora_rank * shape.layers *
         (kAttentionProjections * 2 * shape.hidden +
          kFeedForwardProjections * (shape.hidden + shape.feed_forward));
}

double trained_parameters(const model::TrainingSetup& setup) {
  if (setup.tensors) return setup.tensors->trained_values;
  if (setup.trainable) return *setup.trainable;
  return setup.lora_rank ? lora_parameters(setup) : setup.parameters;
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
