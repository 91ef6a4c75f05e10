// The shapes that sums are made from: of the model, and of one sample.
#pragma once

#include "model/plan.h"

namespace lowtide::plan {

struct ModelShape {
  double hidden = 0;
  double layers = 0;
  double feed_forward = 0;
  bool is_assumed = false;  // hidden or layers were not told
};

ModelShape model_shape(const model::TrainingSetup& setup);

struct SampleShape {
  double pixels = 0;       // of one image, opened
  double seen_pixels = 0;  // of one image, as the model gets it
  double low_pixels = 0;   // where the size was assumed: what else it may be
  double high_pixels = 0;  // (of one image, opened)
  bool is_size_assumed = false;
  double text_tokens = 0;
  double image_tokens = 0;  // of all its images
  bool is_sequence_assumed = false;
  double tensor_bytes = 0;  // of all that goes to the model
};

SampleShape sample_shape(const model::TrainingSetup& setup);

// Pillow holds a pixel in four bytes, whether it has three colours or four (Storage.c: pixelsize of RGB).
inline constexpr double kOpenedBytesPerPixel = 4;

// How many of the parameters are trained.
double trained_parameters(const model::TrainingSetup& setup);
double lora_parameters(const model::TrainingSetup& setup);

// Bytes of one number.
double weight_bytes(model::Precision precision);

}  // namespace lowtide::plan
