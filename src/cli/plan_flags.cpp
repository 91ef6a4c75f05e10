#include "cli/plan_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::cli {
namespace {

using model::TrainingSetup;

std::string in_quotes(const std::string& text) {
  return "'" + base::printable(text, 40) + "'";
}

// Reads flags one after the other; the first that is wrong is what the user hears of.
class Reader {
 public:
  explicit Reader(const Arguments& arguments) : arguments_(arguments) {}

  struct Bounds {
    double least = 0;
    double most = 0;
    std::string_view example;
    bool is_whole = true;
  };

  std::optional<double> count(const std::string& flag, const Bounds& bounds) {
    const auto text = arguments_.text(flag);
    if (!text || complaint_) return std::nullopt;
    const auto number = base::parse_count(*text);
    const bool is_fit = number && number.value() >= bounds.least && number.value() <= bounds.most &&
                        (!bounds.is_whole || number.value() == std::floor(number.value()));
    if (is_fit) return number.value();
    complaint_ = {
        fmt::format("--{} cannot be {}", flag, in_quotes(*text)),
        fmt::format("it is a {}number from {:.0f} to {:.3g}; k, M, B and T stand for thousands to trillions",
                    bounds.is_whole ? "whole " : "", bounds.least, bounds.most),
        fmt::format("lowtide plan --{} {}", flag, bounds.example)};
    return std::nullopt;
  }

  std::optional<double> size(const std::string& flag, std::string_view example) {
    const auto text = arguments_.text(flag);
    if (!text || complaint_) return std::nullopt;
    const auto bytes = base::parse_size(*text);
    if (bytes && bytes.value() > 0) return static_cast<double>(bytes.value());
    complaint_ = {fmt::format("--{} cannot be {}", flag, in_quotes(*text)),
                  "it is a size above 0, with its unit", fmt::format("lowtide plan --{} {}", flag, example)};
    return std::nullopt;
  }

  std::optional<model::ImageSize> image(const std::string& flag) {
    const auto text = arguments_.text(flag);
    if (!text || complaint_) return std::nullopt;
    const auto parsed = parse_image(*text);
    if (parsed) return parsed;
    complaint_ = {fmt::format("--{} cannot be {}", flag, in_quotes(*text)),
                  "it is width x height in pixels, 1 to 100000 each, or one number for a square",
                  fmt::format("lowtide plan --{} 1920x1080", flag)};
    return std::nullopt;
  }

  void refuse(console::UserError user_error) {
    if (!complaint_) complaint_ = std::move(user_error);
  }

  [[nodiscard]] const std::optional<console::UserError>& user_error() const { return complaint_; }

 private:
  static std::optional<model::ImageSize> parse_image(const std::string& text) {
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

  const Arguments& arguments_;
  std::optional<console::UserError> complaint_;
};

model::Precision precision_of(const std::string& name) {
  for (const model::Precision each : {model::Precision::FourBit, model::Precision::EightBit,
                                      model::Precision::Fp16, model::Precision::Fp32}) {
    if (to_string(each) == name) return each;
  }
  return model::Precision::Bf16;
}

model::OptimizerKind optimizer_of(const std::string& name) {
  using model::OptimizerKind;
  if (name == "adamw8bit") return OptimizerKind::Adam8bit;
  for (const OptimizerKind each : {OptimizerKind::Adam, OptimizerKind::Adam8bit, OptimizerKind::Adafactor,
                                   OptimizerKind::Sgd, OptimizerKind::SgdMomentum}) {
    if (to_string(each) == name) return each;
  }
  return OptimizerKind::AdamW;
}

model::ExamplesKept kept_of(const std::string& name) {
  if (name == "encoded") return model::ExamplesKept::Encoded;
  return name == "none" ? model::ExamplesKept::None : model::ExamplesKept::Decoded;
}

constexpr double kMostParameters = 1e15;
constexpr double kMany = 1e9;

void read_model(const Arguments& arguments, Reader& read, TrainingSetup& setup) {
  setup.parameters = read.count("parameters", {1, kMostParameters, "3B", false}).value_or(0);
  setup.precision = precision_of(arguments.text("precision").value_or("bf16"));
  setup.optimizer = optimizer_of(arguments.text("optimizer").value_or("adamw"));
  setup.trainable = read.count("trainable", {1, kMostParameters, "40M", false});
  setup.lora_rank = read.count("lora-rank", {1, 65536, "16"});
  setup.hidden = read.count("hidden", {1, 1e6, "2048"});
  setup.layers = read.count("layers", {1, 1e5, "36"});
  setup.feed_forward = read.count("feed-forward", {1, 1e7, "11008"});
  setup.vocabulary = read.count("vocabulary", {1, 1e8, "151936"});
  setup.checkpointing = arguments.has("gradient-checkpointing");
  setup.offloads_optimizer = arguments.has("offload-optimizer");
  setup.on_cpu = arguments.text("device") == "cpu";
  const bool is_told = setup.parameters > 0;
  if (is_told && setup.trainable && !setup.lora_rank && *setup.trainable > setup.parameters) {
    read.refuse({"--trainable is more than --parameters", "those that are trained are among them",
                 "lowtide plan --parameters 3B --trainable 40M"});
  }
  const bool is_quantised =
      setup.precision == model::Precision::FourBit || setup.precision == model::Precision::EightBit;
  if (is_told && is_quantised && !setup.lora_rank && !setup.trainable) {
    read.refuse({"quantised weights cannot be trained themselves",
                 "a step of an optimizer is smaller than theirs",
                 "--lora-rank 16, or --trainable N for whatever is trained beside them"});
  }
}

void read_data(const Arguments& arguments, Reader& read, TrainingSetup& setup) {
  setup.batch = read.count("batch", {1, kMany, "2"}).value_or(1);
  setup.accumulation = read.count("accumulation", {1, kMany, "4"}).value_or(1);
  setup.sequence = read.count("sequence", {1, 1e8, "2048"});
  setup.image = read.image("image-size");
  setup.resized = read.image("resize");
  const bool has_images = setup.image || setup.resized;
  setup.images_per_sample = read.count("images-per-sample", {0, 1e6, "1"}).value_or(has_images ? 1 : 0);
  setup.examples = read.count("examples", {1, 1e12, "663"});
  setup.examples_kept = kept_of(arguments.text("examples-kept").value_or("decoded"));
  setup.example_bytes = read.size("example-bytes", "20MB");
  setup.dataset_bytes = read.size("dataset-bytes", "2GB");
  setup.pool = read.count("pool", {0, kMany, "1000"}).value_or(0);
  setup.workers = read.count("workers", {0, 4096, "4"}).value_or(0);
  setup.prefetch = read.count("prefetch", {1, 10000, "2"}).value_or(2);
  setup.pins_memory = arguments.has("pin-memory");
  if (has_images && setup.images_per_sample == 0) {
    read.refuse({"images have a size, and there are none", "--images-per-sample is 0",
                 "lowtide plan --images-per-sample 1 --image-size 1920x1080"});
  }
  if (setup.example_bytes && !setup.examples) {
    read.refuse({"--example-bytes needs --examples", "it is how many of them stay open",
                 "lowtide plan --examples 663 --example-bytes 20MB"});
  }
}

void read_rest(const Arguments& arguments, Reader& read, TrainingSetup& setup) {
  setup.validation_samples = read.count("validation-samples", {1, kMany, "32"}).value_or(0);
  setup.validation_episodes = read.count("validation-episodes", {1, kMany, "20"}).value_or(1);
  setup.validation_kept = arguments.has("validation-kept");
  setup.compile_workers = read.count("compile-workers", {0, 4096, "20"}).value_or(0);
  setup.libraries_bytes = read.size("context", "2GB");
  if (arguments.has("validation-episodes") && setup.validation_samples == 0) {
    read.refuse({"--validation-episodes needs --validation-samples", "an episode has some",
                 "lowtide plan --validation-episodes 20 --validation-samples 32"});
  }
}

}  // namespace

std::vector<Flag> plan_flags() {
  return {
      {"parameters", "N", "of the model: 350M, 3B"},
      {"precision", "TYPE", "of the weights (default bf16)", {"4bit", "8bit", "bf16", "fp16", "fp32"}},
      {"optimizer",
       "NAME",
       "default adamw",
       {"adamw", "adam", "adam8bit", "adamw8bit", "adafactor", "sgd", "sgd-momentum"}},
      {"trainable", "N", "parameters that are trained (default: all, or LoRA's)"},
      {"lora-rank", "N", "LoRA on all projections, of this rank"},
      {"hidden", "N", "width of the model, as hidden_size in its config"},
      {"layers", "N", "of the model, as num_hidden_layers"},
      {"feed-forward", "N", "inner width, as intermediate_size (default: 4 x the width)"},
      {"vocabulary", "N", "tokens, as vocab_size"},
      {"gradient-checkpointing", "", "activations are computed again in the backward pass"},
      {"offload-optimizer", "", "the optimizer's states are in host memory"},
      {"device", "KIND", "where the model is (default cuda)", {"cuda", "cpu"}},
      {"batch", "N", "samples a device takes at once (default 1)"},
      {"accumulation", "N", "batches an optimizer step takes (default 1)"},
      {"sequence", "N", "tokens of text in a sample (default 2048)"},
      {"images-per-sample", "N", "default 0, or 1 where a size is told"},
      {"image-size", "WxH", "of an image as it is opened"},
      {"resize", "WxH", "of an image as the model gets it (default: as it is opened)"},
      {"examples", "N", "of the dataset"},
      {"examples-kept",
       "HOW",
       "what stays in memory of those read (default decoded)",
       {"decoded", "encoded", "none"}},
      {"example-bytes", "SIZE", "what one takes once it is opened, where that is known"},
      {"dataset-bytes", "SIZE", "all of them as they are stored, read into memory"},
      {"pool", "N", "samples held ready, in a shuffle or replay buffer"},
      {"workers", "N", "of the DataLoader (default 0)"},
      {"prefetch", "N", "batches each worker makes ahead (default 2)"},
      {"pin-memory", "", "batches are pinned for the GPU"},
      {"validation-episodes", "N", "rounds of a validation (default 1)"},
      {"validation-samples", "N", "of each round"},
      {"validation-kept", "", "their outputs are kept until the last round"},
      {"compile-workers", "N", "processes of torch.compile (it starts one per core, 32 at most)"},
      {"context", "SIZE", "what the process takes after its imports (default: about 2.1GB, 0.3GB on cpu)"},
  };
}

std::variant<TrainingSetup, console::UserError> parse_setup(const Arguments& arguments) {
  Reader read(arguments);
  TrainingSetup setup;
  read_model(arguments, read, setup);
  read_data(arguments, read, setup);
  read_rest(arguments, read, setup);
  if (read.user_error()) return *read.user_error();
  return setup;
}

}  // namespace lowtide::cli
