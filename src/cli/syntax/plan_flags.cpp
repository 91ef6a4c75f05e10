#include "cli/syntax/plan_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "model/names.h"

namespace lowtide::cli {
namespace {

using plan::JobSetup;

struct Bounds {
  double least = 0;
  double most = 0;
  std::string_view example;
  bool is_whole = true;
};

std::string try_flag(std::string_view flag, std::string_view example) {
  return fmt::format("lowtide plan --{} {}", flag, example);
}

template <typename Settings, typename Value>
console::Flag<Settings> takes_count(const console::FlagText& text, Value Settings::*member, Bounds bounds) {
  return console::takes(text, member,
                        [=](const std::string& given) {
                          const auto number = base::parse_count(given);
                          const bool fits =
                              number && number.value() >= bounds.least && number.value() <= bounds.most &&
                              (!bounds.is_whole || number.value() == std::floor(number.value()));
                          return fits ? std::optional(number.value()) : std::nullopt;
                        },
                        {fmt::format("it takes a {}number from {:.0f} to {:.3g}; k, M, B and T are thousand, "
                                     "million, billion and trillion",
                                     bounds.is_whole ? "whole " : "", bounds.least, bounds.most),
                         try_flag(text.name, bounds.example)});
}

template <typename Settings>
console::Flag<Settings> takes_size(const console::FlagText& text, std::optional<double> Settings::*member,
                                   std::string_view example) {
  return console::takes(
      text, member,
      [](const std::string& given) {
        const auto bytes = base::parse_size(given);
        return bytes && bytes.value() > 0 ? std::optional(static_cast<double>(bytes.value())) : std::nullopt;
      },
      {"it takes a size above 0 with a unit", try_flag(text.name, example)});
}

std::optional<model::ImageSize> parse_image(const std::string& text) {
  constexpr std::uint64_t kMostPixels = 100'000;
  const auto side = [&](std::string_view digits) -> std::uint64_t {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_all = error == std::errc{} && end == digits.data() + digits.size();
    return is_all && value <= kMostPixels ? value : 0;
  };
  const std::string_view all(text);
  const std::size_t cross = all.find_first_of("xX");
  const std::uint64_t width = side(all.substr(0, cross));
  const std::uint64_t height = cross == std::string_view::npos ? width : side(all.substr(cross + 1));
  if (width == 0 || height == 0) return std::nullopt;
  return model::ImageSize{width, height};
}

template <typename Settings>
console::Flag<Settings> takes_image(const console::FlagText& text,
                                    std::optional<model::ImageSize> Settings::*member) {
  return console::takes(text, member, parse_image,
                        {"it takes width x height in pixels, 1 to 100000 each, or one number for a square",
                         try_flag(text.name, "1920x1080")});
}

std::optional<model::Precision> precision_of(const std::string& name) {
  return model::find_named<model::Precision>(name);
}

std::optional<model::OptimizerKind> optimizer_of(const std::string& name) {
  if (name == "adamw8bit") return model::OptimizerKind::Adam8bit;
  return model::find_named<model::OptimizerKind>(name);
}

std::optional<model::ExamplesKept> kept_of(const std::string& name) {
  return model::find_named<model::ExamplesKept>(name);
}

std::optional<plan::Sharding> sharding_of(const std::string& name) {
  if (name == "fsdp") return plan::Sharding::Zero3;
  return model::find_named<plan::Sharding>(name);
}

constexpr double kMostParameters = 1e15;
constexpr double kMany = 1e9;

std::optional<console::UserError> find_model_conflict(const JobSetup& setup) {
  const bool has_parameters = setup.parameters > 0;
  if (has_parameters && setup.trainable && !setup.lora_rank && *setup.trainable > setup.parameters) {
    return console::UserError{"--trainable is more than --parameters",
                              "the trained parameters are part of all parameters",
                              "lowtide plan --parameters 3B --trainable 40M"};
  }
  const bool is_quantized =
      setup.precision == model::Precision::FourBit || setup.precision == model::Precision::EightBit;
  if (has_parameters && is_quantized && !setup.lora_rank && !setup.trainable) {
    return console::UserError{"quantized weights cannot be trained directly",
                              "an optimizer step is smaller than the step of a 4-bit or 8-bit number",
                              "--lora-rank 16, or --trainable N for the parameters that are trained"};
  }
  if (setup.mixed_precision && setup.precision == model::Precision::Fp32) {
    return console::UserError{"--mixed-precision does not go with --precision fp32",
                              "mixed precision computes in 16 bits",
                              "lowtide plan --parameters 7B --precision bf16 --mixed-precision"};
  }
  if (setup.kv_heads && (!setup.heads || *setup.kv_heads > *setup.heads)) {
    return console::UserError{setup.heads ? "--kv-heads is more than --heads" : "--kv-heads needs --heads",
                              "grouped-query attention has fewer key-value heads than query heads",
                              "lowtide plan --parameters 8B --heads 32 --kv-heads 8"};
  }
  return std::nullopt;
}

std::optional<console::UserError> find_gpu_conflict(const JobSetup& setup) {
  if (setup.on_cpu && setup.gpus > 1) {
    return console::UserError{"--gpus does not go with --device cpu", "the model is in host memory",
                              "lowtide plan --parameters 7B --gpus 8"};
  }
  if (std::fmod(setup.gpus, setup.tensor_parallel) != 0) {
    return console::UserError{fmt::format("--tensor-parallel {:.0f} does not divide --gpus {:.0f}",
                                          setup.tensor_parallel, setup.gpus),
                              "each copy of the model takes that many GPUs",
                              "lowtide plan --parameters 70B --gpus 16 --tensor-parallel 8"};
  }
  if (setup.sharding != plan::Sharding::None && plan::data_parallel(setup) < 2) {
    return console::UserError{"--sharding needs two or more data-parallel GPUs",
                              "one copy of the model has nothing to share with",
                              "lowtide plan --parameters 7B --gpus 8 --sharding zero3"};
  }
  return std::nullopt;
}

std::optional<console::UserError> find_data_conflict(const JobSetup& setup, const SetupFlags& flags) {
  if ((setup.image || setup.resized) && setup.images_per_sample == 0) {
    return console::UserError{"an image size was given, but there are no images", "--images-per-sample is 0",
                              "lowtide plan --images-per-sample 1 --image-size 1920x1080"};
  }
  if (setup.example_bytes && !setup.examples) {
    return console::UserError{"--example-bytes needs --examples", "it is the size of each of them",
                              "lowtide plan --examples 663 --example-bytes 20MB"};
  }
  if (flags.given_episodes && setup.validation_samples == 0) {
    return console::UserError{"--validation-episodes needs --validation-samples",
                              "it is the number of samples in each episode",
                              "lowtide plan --validation-episodes 20 --validation-samples 32"};
  }
  return std::nullopt;
}

}  // namespace

console::Flags<SetupFlags> setup_flags() {
  using console::takes;
  using console::turns_on;
  return {
      takes_count({"parameters", "N", "parameters of the model, such as 350M or 3B"}, &JobSetup::parameters,
                  {1, kMostParameters, "3B", false}),
      takes({"precision",
             "TYPE",
             "type of the weights: 4bit, 8bit, bf16 (default), fp16 or fp32",
             {"4bit", "8bit", "bf16", "fp16", "fp32"}},
            &JobSetup::precision, precision_of),
      turns_on("mixed-precision",
               "16-bit weights with a float32 copy: 16 bytes per parameter with AdamW. The default is pure "
               "bf16 or fp16: 8 bytes",
               &JobSetup::mixed_precision),
      takes({"optimizer",
             "NAME",
             "adamw (default), adam, adam8bit, adamw8bit, adafactor, sgd or sgd-momentum",
             {"adamw", "adam", "adam8bit", "adamw8bit", "adafactor", "sgd", "sgd-momentum"}},
            &JobSetup::optimizer, optimizer_of),
      takes_count({"trainable", "N", "parameters that are trained (default: all, or those of LoRA)"},
                  &JobSetup::trainable, {1, kMostParameters, "40M", false}),
      takes_count({"lora-rank", "N", "rank of LoRA adapters on all projections"}, &JobSetup::lora_rank,
                  {1, 65536, "16"}),
      takes_count({"hidden", "N", "width of the model, hidden_size in its config"}, &JobSetup::hidden,
                  {1, 1e6, "2048"}),
      takes_count({"layers", "N", "layers of the model, num_hidden_layers"}, &JobSetup::layers,
                  {1, 1e5, "36"}),
      takes_count({"feed-forward", "N", "inner width, intermediate_size (default: 8/3 of the width)"},
                  &JobSetup::feed_forward, {1, 1e7, "11008"}),
      takes_count({"heads", "N", "attention heads, num_attention_heads (default: width / 128)"},
                  &JobSetup::heads, {1, 1e5, "32"}),
      takes_count({"kv-heads", "N",
                   "key-value heads of grouped-query attention, num_key_value_heads (default: all heads)"},
                  &JobSetup::kv_heads, {1, 1e5, "8"}),
      takes_count({"vocabulary", "N", "size of the vocabulary, vocab_size (default 128256)"},
                  &JobSetup::vocabulary, {1, 1e8, "151936"}),
      turns_on("gradient-checkpointing", "recompute activations in the backward pass",
               &JobSetup::checkpointing),
      turns_on("offload-optimizer", "keep the optimizer states in host memory",
               &JobSetup::offloads_optimizer),
      takes({"device", "KIND", "where the model is: cuda (default) or cpu", {"cuda", "cpu"}},
            &JobSetup::on_cpu, [](const std::string& name) { return std::optional(name == "cpu"); }),
      takes_count({"gpus", "N", "GPUs of this machine that train together (default 1)"}, &JobSetup::gpus,
                  {1, 1024, "8"}),
      takes(
          {"sharding",
           "HOW",
           "what data-parallel GPUs share: none (default), zero1 (optimizer states), zero2 (gradients too), "
           "zero3 or fsdp (weights too)",
           {"none", "zero1", "zero2", "zero3", "fsdp"}},
          &JobSetup::sharding, sharding_of),
      takes_count({"tensor-parallel", "N", "GPUs that share each layer (default 1)"},
                  &JobSetup::tensor_parallel, {1, 1024, "8"}),
      takes_count({"batch", "N", "samples per GPU in a forward pass (default 1)"}, &JobSetup::batch,
                  {1, kMany, "2"}),
      takes_count({"accumulation", "N", "batches per optimizer step (default 1)"}, &JobSetup::accumulation,
                  {1, kMany, "4"}),
      takes_count({"sequence", "N", "text tokens per sample (default 2048)"}, &JobSetup::sequence,
                  {1, 1e8, "2048"}),
      takes_count({"images-per-sample", "N", "default 0, or 1 if an image size is given"},
                  &SetupFlags::given_images, {0, 1e6, "1"}),
      takes_image({"image-size", "WxH", "size of an image when it is opened"}, &JobSetup::image),
      takes_image({"resize", "WxH", "size of an image for the model (default: --image-size)"},
                  &JobSetup::resized),
      takes_count({"examples", "N", "examples in the dataset"}, &JobSetup::examples, {1, 1e12, "663"}),
      takes({"examples-kept",
             "HOW",
             "what stays in memory of examples that were read: decoded images (default), encoded bytes, none",
             {"decoded", "encoded", "none"}},
            &JobSetup::examples_kept, kept_of),
      takes_size({"example-bytes", "SIZE", "size of one opened example, if you know it"},
                 &JobSetup::example_bytes, "20MB"),
      takes_size({"dataset-bytes", "SIZE", "size of a dataset that is read into memory"},
                 &JobSetup::dataset_bytes, "2GB"),
      takes_count({"pool", "N", "samples in a shuffle or replay buffer"}, &JobSetup::pool,
                  {0, kMany, "1000"}),
      takes_count({"workers", "N", "DataLoader workers per GPU (default 0)"}, &JobSetup::workers,
                  {0, 4096, "4"}),
      takes_count({"prefetch", "N", "batches that each worker prefetches (default 2)"}, &JobSetup::prefetch,
                  {1, 10000, "2"}),
      turns_on("pin-memory", "batches are copied to pinned memory", &JobSetup::pins_memory),
      takes_count({"validation-episodes", "N", "episodes per validation (default 1)"},
                  &SetupFlags::given_episodes, {1, kMany, "20"}),
      takes_count({"validation-samples", "N", "samples per episode"}, &JobSetup::validation_samples,
                  {1, kMany, "32"}),
      turns_on("validation-kept", "validation outputs are kept until the last episode",
               &JobSetup::validation_kept),
      takes_count({"compile-workers", "N",
                   "processes of torch.compile, which starts one per core, at most 32 (default 0)"},
                  &JobSetup::compile_workers, {0, 4096, "20"}),
      takes_size({"context", "SIZE",
                  "host memory of the process after its imports (default about 2.1GB, on cpu 0.3GB)"},
                 &JobSetup::libraries_bytes, "2GB"),
  };
}

std::variant<JobSetup, console::UserError> make_setup(const SetupFlags& flags) {
  auto setup = static_cast<const JobSetup&>(flags);
  const bool has_images = setup.image || setup.resized;
  setup.images_per_sample = flags.given_images.value_or(has_images ? 1 : 0);
  setup.validation_episodes = flags.given_episodes.value_or(1);
  if (auto conflict = find_model_conflict(setup)) return *std::move(conflict);
  if (auto conflict = find_gpu_conflict(setup)) return *std::move(conflict);
  if (auto conflict = find_data_conflict(setup, flags)) return *std::move(conflict);
  return setup;
}

}  // namespace lowtide::cli
