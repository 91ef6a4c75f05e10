#include "cli/plan_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"

namespace lowtide::cli {
namespace {

using model::TrainingSetup;

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
  return console::takes(
      text, member,
      [=](const std::string& given) {
        const auto number = base::parse_count(given);
        const bool fits = number && number.value() >= bounds.least && number.value() <= bounds.most &&
                          (!bounds.is_whole || number.value() == std::floor(number.value()));
        return fits ? std::optional(number.value()) : std::nullopt;
      },
      {fmt::format("it is a {}number from {:.0f} to {:.3g}; k, M, B and T stand for thousands to trillions",
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
      {"it is a size above 0, with its unit", try_flag(text.name, example)});
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
                        {"it is width x height in pixels, 1 to 100000 each, or one number for a square",
                         try_flag(text.name, "1920x1080")});
}

std::optional<model::Precision> precision_of(const std::string& name) {
  for (const model::Precision each : {model::Precision::FourBit, model::Precision::EightBit,
                                      model::Precision::Fp16, model::Precision::Fp32}) {
    if (to_string(each) == name) return each;
  }
  return model::Precision::Bf16;
}

std::optional<model::OptimizerKind> optimizer_of(const std::string& name) {
  using model::OptimizerKind;
  if (name == "adamw8bit") return OptimizerKind::Adam8bit;
  for (const OptimizerKind each : {OptimizerKind::Adam, OptimizerKind::Adam8bit, OptimizerKind::Adafactor,
                                   OptimizerKind::Sgd, OptimizerKind::SgdMomentum}) {
    if (to_string(each) == name) return each;
  }
  return OptimizerKind::AdamW;
}

std::optional<model::ExamplesKept> kept_of(const std::string& name) {
  if (name == "encoded") return model::ExamplesKept::Encoded;
  return name == "none" ? model::ExamplesKept::None : model::ExamplesKept::Decoded;
}

constexpr double kMostParameters = 1e15;
constexpr double kMany = 1e9;

// What cannot be together.
std::optional<console::UserError> find_conflict(const TrainingSetup& setup, const SetupFlags& flags) {
  const bool is_told = setup.parameters > 0;
  if (is_told && setup.trainable && !setup.lora_rank && *setup.trainable > setup.parameters) {
    return console::UserError{"--trainable is more than --parameters",
                              "those that are trained are among them",
                              "lowtide plan --parameters 3B --trainable 40M"};
  }
  const bool is_quantised =
      setup.precision == model::Precision::FourBit || setup.precision == model::Precision::EightBit;
  if (is_told && is_quantised && !setup.lora_rank && !setup.trainable) {
    return console::UserError{"quantised weights cannot be trained themselves",
                              "a step of an optimizer is smaller than theirs",
                              "--lora-rank 16, or --trainable N for whatever is trained beside them"};
  }
  if ((setup.image || setup.resized) && setup.images_per_sample == 0) {
    return console::UserError{"images have a size, and there are none", "--images-per-sample is 0",
                              "lowtide plan --images-per-sample 1 --image-size 1920x1080"};
  }
  if (setup.example_bytes && !setup.examples) {
    return console::UserError{"--example-bytes needs --examples", "it is how many of them stay open",
                              "lowtide plan --examples 663 --example-bytes 20MB"};
  }
  if (flags.given_episodes && setup.validation_samples == 0) {
    return console::UserError{"--validation-episodes needs --validation-samples", "an episode has some",
                              "lowtide plan --validation-episodes 20 --validation-samples 32"};
  }
  return std::nullopt;
}

}  // namespace

console::Flags<SetupFlags> setup_flags() {
  using console::takes;
  using console::turns_on;
  using Setup = TrainingSetup;
  return {
      takes_count({"parameters", "N", "of the model: 350M, 3B"}, &Setup::parameters,
                  {1, kMostParameters, "3B", false}),
      takes({"precision", "TYPE", "of the weights (default bf16)", {"4bit", "8bit", "bf16", "fp16", "fp32"}},
            &Setup::precision, precision_of),
      takes({"optimizer",
             "NAME",
             "default adamw",
             {"adamw", "adam", "adam8bit", "adamw8bit", "adafactor", "sgd", "sgd-momentum"}},
            &Setup::optimizer, optimizer_of),
      takes_count({"trainable", "N", "parameters that are trained (default: all, or LoRA's)"},
                  &Setup::trainable, {1, kMostParameters, "40M", false}),
      takes_count({"lora-rank", "N", "LoRA on all projections, of this rank"}, &Setup::lora_rank,
                  {1, 65536, "16"}),
      takes_count({"hidden", "N", "width of the model, as hidden_size in its config"}, &Setup::hidden,
                  {1, 1e6, "2048"}),
      takes_count({"layers", "N", "of the model, as num_hidden_layers"}, &Setup::layers, {1, 1e5, "36"}),
      takes_count({"feed-forward", "N", "inner width, as intermediate_size (default: 4 x the width)"},
                  &Setup::feed_forward, {1, 1e7, "11008"}),
      takes_count({"vocabulary", "N", "tokens, as vocab_size"}, &Setup::vocabulary, {1, 1e8, "151936"}),
      turns_on("gradient-checkpointing", "activations are computed again in the backward pass",
               &Setup::checkpointing),
      turns_on("offload-optimizer", "the optimizer's states are in host memory", &Setup::offloads_optimizer),
      takes({"device", "KIND", "where the model is (default cuda)", {"cuda", "cpu"}}, &Setup::on_cpu,
            [](const std::string& name) { return std::optional(name == "cpu"); }),
      takes_count({"batch", "N", "samples a device takes at once (default 1)"}, &Setup::batch,
                  {1, kMany, "2"}),
      takes_count({"accumulation", "N", "batches an optimizer step takes (default 1)"}, &Setup::accumulation,
                  {1, kMany, "4"}),
      takes_count({"sequence", "N", "tokens of text in a sample (default 2048)"}, &Setup::sequence,
                  {1, 1e8, "2048"}),
      takes_count({"images-per-sample", "N", "default 0, or 1 where a size is told"},
                  &SetupFlags::given_images, {0, 1e6, "1"}),
      takes_image({"image-size", "WxH", "of an image as it is opened"}, &Setup::image),
      takes_image({"resize", "WxH", "of an image as the model gets it (default: as it is opened)"},
                  &Setup::resized),
      takes_count({"examples", "N", "of the dataset"}, &Setup::examples, {1, 1e12, "663"}),
      takes({"examples-kept",
             "HOW",
             "what stays in memory of those read (default decoded)",
             {"decoded", "encoded", "none"}},
            &Setup::examples_kept, kept_of),
      takes_size({"example-bytes", "SIZE", "what one takes once it is opened, where that is known"},
                 &Setup::example_bytes, "20MB"),
      takes_size({"dataset-bytes", "SIZE", "all of them as they are stored, read into memory"},
                 &Setup::dataset_bytes, "2GB"),
      takes_count({"pool", "N", "samples held ready, in a shuffle or replay buffer"}, &Setup::pool,
                  {0, kMany, "1000"}),
      takes_count({"workers", "N", "of the DataLoader (default 0)"}, &Setup::workers, {0, 4096, "4"}),
      takes_count({"prefetch", "N", "batches each worker makes ahead (default 2)"}, &Setup::prefetch,
                  {1, 10000, "2"}),
      turns_on("pin-memory", "batches are pinned for the GPU", &Setup::pins_memory),
      takes_count({"validation-episodes", "N", "rounds of a validation (default 1)"},
                  &SetupFlags::given_episodes, {1, kMany, "20"}),
      takes_count({"validation-samples", "N", "of each round"}, &Setup::validation_samples, {1, kMany, "32"}),
      turns_on("validation-kept", "their outputs are kept until the last round", &Setup::validation_kept),
      takes_count({"compile-workers", "N", "processes of torch.compile (it starts one per core, 32 at most)"},
                  &Setup::compile_workers, {0, 4096, "20"}),
      takes_size({"context", "SIZE",
                  "what the process takes after its imports (default: about 2.1GB, 0.3GB on cpu)"},
                 &Setup::libraries_bytes, "2GB"),
  };
}

std::variant<TrainingSetup, console::UserError> make_setup(const SetupFlags& flags) {
  auto setup = static_cast<const TrainingSetup&>(flags);
  const bool has_images = setup.image || setup.resized;
  setup.images_per_sample = flags.given_images.value_or(has_images ? 1 : 0);
  setup.validation_episodes = flags.given_episodes.value_or(1);
  if (auto conflict = find_conflict(setup, flags)) return *std::move(conflict);
  return setup;
}

}  // namespace lowtide::cli
