// The dimensions that formulas use: of the model, and of one sample.
#pragma once

#include "plan/setup.h"

namespace lowtide::plan {

struct ModelShape {
  double hidden = 0;
  double layers = 0;
  double feed_forward = 0;
  double kv_share = 1;      // width of keys and values, of the width of the queries
  bool is_assumed = false;  // hidden or layers were not given
};

ModelShape model_shape(const JobSetup& setup);

struct SampleShape {
  double pixels = 0;       // of one image, opened
  double seen_pixels = 0;  // of one image, as the model gets it
  double low_pixels = 0;   // the range of `pixels`, if the size was assumed
  double high_pixels = 0;
  bool is_size_assumed = false;
  double text_tokens = 0;
  double image_tokens = 0;  // of all its images
  bool is_sequence_assumed = false;
  double tensor_bytes = 0;  // of everything that goes to the model
};

SampleShape sample_shape(const JobSetup& setup);

// Pillow stores a pixel in four bytes, for three channels as well as for four (Storage.c: pixelsize of RGB).
inline constexpr double kOpenedBytesPerPixel = 4;

inline constexpr double kAssumedVocabulary = 128'256;  // Llama 3

// How many of the parameters are trained.
double trained_parameters(const JobSetup& setup);
double lora_parameters(const JobSetup& setup);

// Whether most weights are loaded once and never trained.
bool has_frozen_weights(const JobSetup& setup);

// Bytes of one number.
double weight_bytes(model::Precision precision);

}  // namespace lowtide::plan
