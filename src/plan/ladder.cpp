#include "plan/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "plan/shape.h"
#include "plan/sums.h"
#include "plan/words.h"

namespace lowtide::plan {
namespace {

using model::ExamplesKept;
using model::PlanKnob;

constexpr double kLeastShare = 0.005;  // of what the job needs; less is not worth the effort

std::string halved(const char* name, double value) {
  return fmt::format("{} {} -> {}", name, count_words(value), count_words(std::floor(value / 2)));
}

class Ladder {
 public:
  explicit Ladder(const JobSetup& setup) : setup_(setup), before_(add_up(all_parts(setup))) {}

  void offer(PlanKnob knob, const std::function<void(JobSetup&)>& turn) {
    JobSetup changed = setup_;
    turn(changed);
    const PlanSums after = add_up(all_parts(changed));
    knob.host_bytes = before_.host.estimate - after.host.estimate;
    knob.device_bytes = before_.device.estimate - after.device.estimate;
    const double whole = before_.host.estimate + before_.device.estimate;
    if (saved(knob) > kLeastShare * whole) knobs_.push_back(std::move(knob));
  }

  std::vector<PlanKnob> sorted() && {
    std::stable_sort(knobs_.begin(), knobs_.end(),
                     [](const PlanKnob& a, const PlanKnob& b) { return saved(a) > saved(b); });
    return std::move(knobs_);
  }

 private:
  static double saved(const PlanKnob& knob) { return knob.host_bytes + knob.device_bytes; }

  const JobSetup& setup_;
  PlanSums before_;
  std::vector<PlanKnob> knobs_;
};

void offer_data_knobs(const JobSetup& setup, Ladder& ladder) {
  if (setup.examples && setup.examples_kept == ExamplesKept::Decoded) {
    ladder.offer(
        {"open images for each use", "Image.open(...).convert(\"RGB\") in __getitem__, keep the bytes",
         "images are decoded in every epoch", 0, 0},
        [](JobSetup& to) { to.examples_kept = ExamplesKept::Encoded; });
  }
  if (setup.examples && setup.examples_kept != ExamplesKept::None && !setup.dataset_bytes) {
    ladder.offer({"read examples from disk", "a dataset that keeps paths, not contents",
                  "examples are read and decoded in every epoch", 0, 0},
                 [](JobSetup& to) { to.examples_kept = ExamplesKept::None; });
  }
  if (setup.workers >= 1) {
    ladder.offer(
        {halved("workers", setup.workers), fmt::format("num_workers={:.0f}", std::floor(setup.workers / 2)),
         "slower loading, if the GPU waits for data", 0, 0},
        [](JobSetup& to) { to.workers = std::floor(to.workers / 2); });
  }
  if (setup.workers >= 1 && setup.prefetch > 1) {
    ladder.offer({fmt::format("prefetch {} -> 1", count_words(setup.prefetch)), "prefetch_factor=1",
                  "no buffer for batches that take long", 0, 0},
                 [](JobSetup& to) { to.prefetch = 1; });
  }
  if (setup.pins_memory) {
    ladder.offer({"no pinned memory", "pin_memory=False", "slower copies to the GPU", 0, 0},
                 [](JobSetup& to) { to.pins_memory = false; });
  }
  if (setup.pool >= 2) {
    ladder.offer({halved("pool", setup.pool), "a smaller buffer", "less shuffling", 0, 0},
                 [](JobSetup& to) { to.pool = std::floor(to.pool / 2); });
  }
}

void offer_image_knobs(const JobSetup& setup, Ladder& ladder) {
  if (setup.images_per_sample <= 0) return;
  const double side = std::floor(std::sqrt(sample_shape(setup).seen_pixels) / 2);
  if (side < 1) return;
  const auto half = static_cast<std::uint64_t>(side);
  ladder.offer({"images of half the width and height",
                fmt::format("resize to about {} x {} before batching", half, half), "less detail", 0, 0},
               [=](JobSetup& to) {
                 to.resized = model::ImageSize{half, half};
               });
}

void offer_validation_knobs(const JobSetup& setup, Ladder& ladder) {
  if (setup.validation_samples <= 0) return;
  if (setup.validation_kept && setup.validation_episodes > 1) {
    ladder.offer({"release validation outputs", "accumulate the metric, keep no outputs", "nothing", 0, 0},
                 [](JobSetup& to) { to.validation_kept = false; });
    ladder.offer({halved("validation episodes", setup.validation_episodes), "fewer episodes",
                  "a noisier metric", 0, 0},
                 [](JobSetup& to) { to.validation_episodes = std::floor(to.validation_episodes / 2); });
  }
  if (setup.validation_samples >= 2) {
    ladder.offer({halved("validation samples", setup.validation_samples), "fewer samples per episode",
                  "a noisier metric", 0, 0},
                 [](JobSetup& to) { to.validation_samples = std::floor(to.validation_samples / 2); });
  }
}

void offer_model_knobs(const JobSetup& setup, Ladder& ladder) {
  if (setup.batch >= 2) {
    ladder.offer({halved("batch", setup.batch), "twice the accumulation keeps the effective batch",
                  "more and smaller steps", 0, 0},
                 [](JobSetup& to) {
                   to.batch = std::floor(to.batch / 2);
                   to.accumulation *= 2;
                 });
  }
  if (setup.accumulation >= 2) {
    ladder.offer(
        {halved("accumulation", setup.accumulation),
         "gradient_accumulation_steps, with a lower learning rate", "a smaller effective batch", 0, 0},
        [](JobSetup& to) { to.accumulation = std::floor(to.accumulation / 2); });
  }
  if (!setup.checkpointing) {
    ladder.offer(
        {"gradient checkpointing", "model.gradient_checkpointing_enable()", "a third more computation", 0, 0},
        [](JobSetup& to) { to.checkpointing = true; });
  }
  if (setup.sequence && *setup.sequence >= 2) {
    ladder.offer(
        {halved("sequence", *setup.sequence), "a shorter maximum length", "longer texts are truncated", 0, 0},
        [](JobSetup& to) { to.sequence = std::floor(*to.sequence / 2); });
  }
  if (setup.optimizer == model::OptimizerKind::AdamW || setup.optimizer == model::OptimizerKind::Adam) {
    ladder.offer({"optimizer states in 8 bits", "bitsandbytes.optim.AdamW8bit", "very little accuracy", 0, 0},
                 [](JobSetup& to) { to.optimizer = model::OptimizerKind::Adam8bit; });
  }
  if (setup.lora_rank && setup.precision != model::Precision::FourBit) {
    ladder.offer(
        {"weights in 4 bits", "BitsAndBytesConfig(load_in_4bit=True)", "some accuracy, slower steps", 0, 0},
        [](JobSetup& to) { to.precision = model::Precision::FourBit; });
  }
  if (setup.compile_workers >= 2) {
    ladder.offer({fmt::format("compile workers {} -> 1", count_words(setup.compile_workers)),
                  "TORCHINDUCTOR_COMPILE_THREADS=1", "a slower first step", 0, 0},
                 [](JobSetup& to) { to.compile_workers = 1; });
  }
}

void offer_sharding(const JobSetup& setup, Ladder& ladder) {
  if (data_parallel(setup) < 2 || setup.tensors) return;
  if (setup.sharding < Sharding::Zero2) {
    ladder.offer({"shard optimizer states and gradients", "ZeRO stage 2, or FSDP with SHARD_GRAD_OP",
                  "more communication", 0, 0},
                 [](JobSetup& to) { to.sharding = Sharding::Zero2; });
  }
  if (setup.sharding < Sharding::Zero3) {
    ladder.offer({"shard the weights too", "ZeRO stage 3, or FSDP with FULL_SHARD",
                  "weights are gathered in every forward and backward pass", 0, 0},
                 [](JobSetup& to) { to.sharding = Sharding::Zero3; });
  }
}

}  // namespace

std::vector<PlanKnob> make_ladder(const JobSetup& setup) {
  Ladder ladder(setup);
  offer_data_knobs(setup, ladder);
  offer_image_knobs(setup, ladder);
  offer_validation_knobs(setup, ladder);
  offer_model_knobs(setup, ladder);
  offer_sharding(setup, ladder);
  return std::move(ladder).sorted();
}

}  // namespace lowtide::plan
