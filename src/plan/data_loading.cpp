// The data that is prepared for the model, and what of it stays in memory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/units.h"
#include "plan/model_part.h"
#include "plan/parts.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::ExamplesKept;
using model::PlanComponent;

// JPEG takes a tenth of three bytes per pixel; base64 takes 4 bytes for 3. PNG of photographs takes up to
// half.
constexpr double kStoredBytesPerPixel = 0.3 * 4 / 3;
constexpr double kMostStoredBytesPerPixel = 1.5 * 4 / 3;
constexpr double kLeastStoredBytesPerPixel = 0.1;

std::string size_assumption(const SampleShape& sample) {
  return sample.is_size_assumed
             ? "images of 2048 x 2048, which is a guess; set --image-size for a better estimate"
             : "";
}

std::string joined(std::string first, const std::string& second) {
  if (first.empty()) return second;
  return second.empty() ? first : std::move(first) + "; " + second;
}

void add_dataset(const JobSetup& setup, const SampleShape& sample, PlanParts& parts) {
  if (setup.dataset_bytes) {
    parts.push_back(host_part(PlanComponent::Dataset, exactly(*setup.dataset_bytes), "as given",
                              "the whole dataset is read into memory"));
    return;
  }
  if (!setup.examples || setup.examples_kept == ExamplesKept::None) return;
  if (setup.images_per_sample > 0) {
    const double images = *setup.examples * setup.images_per_sample;
    parts.push_back(
        host_part(PlanComponent::Dataset,
                  about(images * sample.pixels * kStoredBytesPerPixel,
                        images * sample.low_pixels * kLeastStoredBytesPerPixel,
                        images * sample.high_pixels * kMostStoredBytesPerPixel),
                  fmt::format("{} images x {} pixels x {} bytes, as stored", count_words(images),
                              count_words(sample.pixels), factor_words(kStoredBytesPerPixel)),
                  joined("JPEG as base64, all in memory; set --dataset-bytes for a better estimate",
                         size_assumption(sample))));
    return;
  }
  const double bytes = *setup.examples * sample.tensor_bytes;
  parts.push_back(host_part(PlanComponent::Dataset, about(bytes, 0, bytes),
                            fmt::format("{} examples x {} tokens x 24 bytes", count_words(*setup.examples),
                                        count_words(sample.text_tokens)),
                            "tokenized and kept in memory; a memory-mapped dataset takes none"));
}

// Image.open reads nothing; the first use decodes the image, which then keeps its pixels. A list of such
// images grows with each image that is used for the first time, until the end of the first epoch.
void add_opened(const JobSetup& setup, const SampleShape& sample, PlanParts& parts) {
  if (!setup.examples || setup.examples_kept != ExamplesKept::Decoded) return;
  if (setup.images_per_sample <= 0 && !setup.example_bytes) return;
  const double each =
      setup.example_bytes.value_or(setup.images_per_sample * sample.pixels * kOpenedBytesPerPixel);
  const double copies = std::max(1.0, setup.workers);
  const double images = *setup.examples * setup.images_per_sample;
  const double low =
      setup.example_bytes ? *setup.examples * each : images * sample.low_pixels * kOpenedBytesPerPixel;
  const double high =
      setup.example_bytes ? *setup.examples * each : images * sample.high_pixels * kOpenedBytesPerPixel;
  std::string formula =
      setup.example_bytes
          ? fmt::format("{} examples x {} each", count_words(*setup.examples), base::format_bytes(each))
          : fmt::format("{} images x {} pixels x 4 bytes, after one epoch", count_words(images),
                        count_words(sample.pixels));
  std::string assumption = "opened images stay in memory, as in a list of them";
  if (copies > 1) assumption += "; each persistent worker would keep its own";
  parts.push_back(host_part(PlanComponent::OpenedExamples, about(*setup.examples * each, low, high * copies),
                            std::move(formula), joined(assumption, size_assumption(sample))));
}

void add_pool(const JobSetup& setup, const SampleShape& sample, PlanParts& parts) {
  if (setup.pool <= 0) return;
  parts.push_back(host_part(
      PlanComponent::Pool, exactly(setup.pool * sample.tensor_bytes),
      fmt::format("{} x {}", counted_words(setup.pool, "sample"), base::format_bytes(sample.tensor_bytes)),
      "kept as tensors"));
}

// transformers' Trainer takes all batches of one optimizer step from the loader at once (get_batch_samples).
// A worker prefetches `prefetch` batches (torch.utils.data: prefetch_factor, default 2).
void add_batches(const JobSetup& setup, const SampleShape& sample, PlanParts& parts) {
  const double batch = setup.batch * sample.tensor_bytes;
  const double ahead = setup.workers * setup.prefetch;
  const double in_hand = setup.accumulation;
  std::string formula =
      fmt::format("{} x {} x {} in use", counted_words(setup.batch, "sample"),
                  base::format_bytes(sample.tensor_bytes), counted_words(in_hand, "batch", "es"));
  if (ahead > 0) {
    formula += fmt::format(" + {} x {} prefetched", counted_words(setup.workers, "worker"),
                           count_words(setup.prefetch));
  }
  const bool has_images = setup.images_per_sample > 0;
  // Qwen2-VL's processor produces each image twice (temporal_patch_size).
  model::PlanPart part = host_part(
      PlanComponent::Batches,
      about(batch * (in_hand + ahead), batch, batch * (in_hand + ahead) * (has_images ? 2 : 1)),
      std::move(formula),
      has_images
          ? joined("three channels in float32", setup.resized ? "" : "not resized; set --resize if they are")
          : "");
  if (!setup.on_cpu) part.device = about(batch, batch / 2, batch * 2);
  parts.push_back(std::move(part));
}

// Blocks of torch's pinned allocator are powers of two (torch.cuda.memory.host_memory_stats).
void add_pinned(const JobSetup& setup, const SampleShape& sample, PlanParts& parts) {
  if (!setup.pins_memory || setup.on_cpu) return;
  const double block = std::exp2(std::ceil(std::log2(setup.batch * sample.tensor_bytes)));
  constexpr double kUnderWay = 2;  // one is filled while the other is copied
  const double most = std::max(kUnderWay, setup.workers * setup.prefetch);
  parts.push_back(
      host_part(PlanComponent::Pinned, about(kUnderWay * block, block, most * block),
                fmt::format("2 batches x {}, rounded up to a power of two", base::format_bytes(block)),
                "one batch is filled while the other is copied"));
}

}  // namespace

PlanParts data_parts(const JobSetup& setup) {
  const SampleShape sample = sample_shape(setup);
  PlanParts parts;
  add_dataset(setup, sample, parts);
  add_opened(setup, sample, parts);
  add_pool(setup, sample, parts);
  add_batches(setup, sample, parts);
  add_pinned(setup, sample, parts);
  return parts;
}

}  // namespace lowtide::plan
