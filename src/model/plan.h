// The parts of a memory plan. The plan itself is plan::Plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace lowtide::model {

enum class Precision { FourBit, EightBit, Bf16, Fp16, Fp32 };
enum class OptimizerKind { AdamW, Adam, Adam8bit, Adafactor, Sgd, SgdMomentum };

// What stays in memory of examples that were read: opened images, the bytes they were opened from, or
// nothing.
enum class ExamplesKept { Decoded, Encoded, None };

struct ImageSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

// What the tensors of a process say of its model; takes the place of what would be worked out.
struct TensorFacts {
  double frozen_bytes = 0;    // weights that are not trained, and whatever else is there
  double trained_bytes = 0;   // require a gradient
  double trained_values = 0;  // how many numbers that is
  double gradient_bytes = 0;
  double optimizer_bytes = 0;
  double host_bytes = 0;     // of tensors in host memory, where the model is on a device
  bool is_on_device = true;  // the model
};

// What the user says of a job. What was not said is absent, and the plan then states what it assumed.
struct TrainingSetup {
  double parameters = 0;
  Precision precision = Precision::Bf16;
  OptimizerKind optimizer = OptimizerKind::AdamW;
  std::optional<double> trainable = {};  // parameters
  std::optional<double> lora_rank = {};
  std::optional<double> hidden = {};
  std::optional<double> layers = {};
  std::optional<double> feed_forward = {};
  std::optional<double> vocabulary = {};
  std::optional<TensorFacts> tensors = {};
  bool checkpointing = false;
  bool on_cpu = false;
  bool offloads_optimizer = false;

  double batch = 1;
  double accumulation = 1;
  std::optional<double> sequence = {};
  double images_per_sample = 0;
  std::optional<ImageSize> image = {};    // as it is opened
  std::optional<ImageSize> resized = {};  // as the model sees it

  std::optional<double> examples = {};
  ExamplesKept examples_kept = ExamplesKept::Decoded;
  std::optional<double> example_bytes = {};  // of one, opened
  std::optional<double> dataset_bytes = {};  // of all, as they are stored
  double pool = 0;                           // samples held ready: a shuffle or replay buffer
  double workers = 0;
  double prefetch = 2;
  bool pins_memory = false;

  double validation_episodes = 1;
  double validation_samples = 0;
  bool validation_kept = false;  // the outputs of all episodes, until the last is over

  std::optional<double> libraries_bytes = {};
  double compile_workers = 0;
};

enum class PlanComponent {
  Libraries,
  Weights,
  QuantizationConstants,
  LoraWeights,
  Gradients,
  OptimizerStates,
  Activations,
  Dataset,
  OpenedExamples,
  Pool,
  Batches,
  Pinned,
  Workers,
  CompileWorkers,
  Validation,
  AllocatorReserve,
};

struct PlanPart {
  PlanComponent component = PlanComponent::Libraries;
  std::optional<Range> host = {};  // bytes
  std::optional<Range> device = {};
  bool in_children = false;     // other processes than the trainer
  std::string formula = {};     // "3.00 billion parameters x 0.5 bytes"
  std::string assumption = {};  // what has to hold for that; empty: nothing else
  std::optional<double> measured_host = {};
  std::optional<double> measured_device = {};
};

// One thing to change, and what it would buy.
struct PlanKnob {
  std::string change;  // "workers 4 -> 2"
  std::string how;     // "num_workers=2"
  std::string cost;    // what is paid for it
  double host_bytes = 0;
  double device_bytes = 0;
};

// What was seen of the job that the plan is for.
struct PlanMeasured {
  std::string source;  // "run.lowtide", "process 4711"
  std::optional<double> host_bytes = {};
  std::optional<double> host_peak_bytes = {};
  std::optional<double> device_bytes = {};
};

// Memory that grows with every example seen for the first time stops with the first epoch.
struct EpochForecast {
  double end_step = 0;
  double example_bytes = 0;  // that each one adds
  double bytes = 0;          // when all have been seen
};

constexpr std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::FourBit:
      return "4bit";
    case Precision::EightBit:
      return "8bit";
    case Precision::Bf16:
      return "bf16";
    case Precision::Fp16:
      return "fp16";
    case Precision::Fp32:
      return "fp32";
  }
  return {};
}

constexpr std::string_view to_string(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::AdamW:
      return "adamw";
    case OptimizerKind::Adam:
      return "adam";
    case OptimizerKind::Adam8bit:
      return "adam8bit";
    case OptimizerKind::Adafactor:
      return "adafactor";
    case OptimizerKind::Sgd:
      return "sgd";
    case OptimizerKind::SgdMomentum:
      return "sgd-momentum";
  }
  return {};
}

constexpr std::string_view to_string(ExamplesKept kept) {
  switch (kept) {
    case ExamplesKept::Decoded:
      return "decoded";
    case ExamplesKept::Encoded:
      return "encoded";
    case ExamplesKept::None:
      return "none";
  }
  return {};
}

// As the JSON has it.
constexpr std::string_view to_string(PlanComponent component) {
  switch (component) {
    case PlanComponent::Libraries:
      return "libraries";
    case PlanComponent::Weights:
      return "weights";
    case PlanComponent::QuantizationConstants:
      return "quantization-constants";
    case PlanComponent::LoraWeights:
      return "lora-weights";
    case PlanComponent::Gradients:
      return "gradients";
    case PlanComponent::OptimizerStates:
      return "optimizer-states";
    case PlanComponent::Activations:
      return "activations";
    case PlanComponent::Dataset:
      return "dataset";
    case PlanComponent::OpenedExamples:
      return "opened-examples";
    case PlanComponent::Pool:
      return "pool";
    case PlanComponent::Batches:
      return "batches";
    case PlanComponent::Pinned:
      return "pinned";
    case PlanComponent::Workers:
      return "workers";
    case PlanComponent::CompileWorkers:
      return "compile-workers";
    case PlanComponent::Validation:
      return "validation";
    case PlanComponent::AllocatorReserve:
      return "allocator-reserve";
  }
  return {};
}

}  // namespace lowtide::model
