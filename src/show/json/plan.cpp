#include <optional>

#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/plan.h"

namespace lowtide::show {

using model::EpochForecast;
using model::ImageSize;
using model::Plan;
using model::PlanKnob;
using model::PlanMeasured;
using model::PlanPart;
using model::Range;
using model::TrainingSetup;
using Count = Rounded<12>;

struct ByteRange {
  const Range& bytes;
};

constexpr auto describe(Tag<ByteRange>) {
  return object(
      "ByteRange", "an estimate in bytes with its range",
      field("estimate", "the most likely value",
            [](const ByteRange& range) { return WholeBytes{range.bytes.estimate}; }),
      field("low", "the lower end of the range",
            [](const ByteRange& range) { return WholeBytes{range.bytes.low}; }),
      field("high", "its upper end", [](const ByteRange& range) { return WholeBytes{range.bytes.high}; }));
}

constexpr auto describe(Tag<ImageSize>) {
  return object("ImageSize", "in pixels", field<&ImageSize::width>("width", "pixels in a row"),
                field<&ImageSize::height>("height", "rows"));
}

constexpr auto describe(Tag<TrainingSetup>) {
  using Setup = TrainingSetup;
  return object(
      "Setup", "what was given or assumed; null where it was not given",
      field("parameters", "of the model",
            [](const Setup& setup) {
              return setup.parameters > 0 ? std::optional(Count{setup.parameters}) : std::nullopt;
            }),
      field<&Setup::precision>("precision", "of the weights"),
      field<&Setup::optimizer>("optimizer", "its kind"),
      field_as<Count, &Setup::trainable>("trainable", "parameters that are trained"),
      field_as<Count, &Setup::lora_rank>("lora_rank", "rank of the LoRA adapters"),
      field_as<Count, &Setup::hidden>("hidden", "width of the model"),
      field_as<Count, &Setup::layers>("layers", "layers of the model"),
      field<&Setup::checkpointing>("gradient_checkpointing", "whether activations are computed again"),
      field("device", "`cpu` or `cuda`",
            [](const Setup& setup) { return std::string_view(setup.on_cpu ? "cpu" : "cuda"); }),
      field_as<Count, &Setup::batch>("batch", "samples in a batch"),
      field_as<Count, &Setup::accumulation>("accumulation", "batches for each optimizer step"),
      field_as<Count, &Setup::sequence>("sequence", "tokens in a sample"),
      field_as<Count, &Setup::images_per_sample>("images_per_sample", "images in a sample"),
      field<&Setup::image>("image_size", "as it is opened"),
      field<&Setup::resized>("resize", "as the model sees it"),
      field_as<Count, &Setup::examples>("examples", "in the dataset"),
      field<&Setup::examples_kept>("examples_kept", "how examples that were read stay in memory"),
      field_as<Count, &Setup::workers>("workers", "processes that load data"),
      field_as<Count, &Setup::prefetch>("prefetch", "batches that each worker prepares"),
      field<&Setup::pins_memory>("pin_memory", "whether batches are pinned"),
      field_as<Count, &Setup::validation_episodes>("validation_episodes", "episodes of a validation"),
      field_as<Count, &Setup::validation_samples>("validation_samples", "samples in an episode"),
      field_as<Count, &Setup::compile_workers>("compile_workers", "processes that compile kernels"));
}

constexpr auto describe(Tag<PlanPart>) {
  return object(
      "PlanPart", "one use of memory", field<&PlanPart::component>("component", "what needs it"),
      field_as<ByteRange, &PlanPart::host>("host_bytes", "in host memory"),
      field_as<ByteRange, &PlanPart::device>("device_bytes", "on the GPU"),
      field<&PlanPart::in_children>("in_children", "whether it is in other processes than the trainer"),
      field<&PlanPart::formula>("formula", "how it was computed"),
      field_as<NonEmpty, &PlanPart::assumption>("assumption", "what must hold for that"),
      field_as<WholeBytes, &PlanPart::measured_host>("measured_host_bytes", "what was measured instead"),
      field_as<WholeBytes, &PlanPart::measured_device>("measured_device_bytes", "the same on the GPU"));
}

constexpr auto describe(Tag<PlanKnob>) {
  return object(
      "PlanChange", "one thing to change", field<&PlanKnob::change>("change", "`workers 4 -> 2`"),
      field<&PlanKnob::how>("how", "as code: `num_workers=2`"),
      field<&PlanKnob::cost>("cost", "what it costs"),
      field_as<WholeBytes, &PlanKnob::host_bytes>("host_bytes", "host memory that it would save"),
      field_as<WholeBytes, &PlanKnob::device_bytes>("device_bytes", "GPU memory that it would save"));
}

constexpr auto describe(Tag<PlanMeasured>) {
  return object("Measured", "what was measured of the job",
                field<&PlanMeasured::source>("source", "the recording or process"),
                field_as<WholeBytes, &PlanMeasured::host_bytes>("host_bytes", "its host memory"),
                field_as<WholeBytes, &PlanMeasured::host_peak_bytes>("host_peak_bytes", "the most of that"),
                field_as<WholeBytes, &PlanMeasured::device_bytes>("device_bytes", "its GPU memory"));
}

constexpr auto describe(Tag<EpochForecast>) {
  return object(
      "Epoch", "where growth by what is kept of each example would end",
      field_as<Number, &EpochForecast::end_step>("end_step", "the last step of the first epoch"),
      field_as<WholeBytes, &EpochForecast::example_bytes>("example_bytes", "what each example adds"),
      field_as<WholeBytes, &EpochForecast::bytes>("host_bytes", "memory when all have been seen"));
}

constexpr auto describe(Tag<Plan>) {
  return object("Plan", "what `lowtide plan --json` prints", program_version<Plan>(), schema_version<Plan>(),
                field<&Plan::setup>("setup", "the training"),
                field_as<ByteRange, &Plan::host>("host_bytes", "the process tree"),
                field_as<ByteRange, &Plan::trainer>("trainer_bytes", "the training process alone"),
                field_as<ByteRange, &Plan::device>("device_bytes", "the GPU"),
                field_as<WholeBytes, &Plan::minimum_ram_bytes>("minimum_ram_bytes",
                                                               "the estimate for the host, in whole GiB"),
                field_as<WholeBytes, &Plan::comfortable_ram_bytes>("comfortable_ram_bytes",
                                                                   "its upper end, in whole GiB"),
                field_as<WholeBytes, &Plan::limit_bytes>("limit_bytes", "of `--limit`"),
                field<&Plan::parts>("parts", "what the sums are made of"),
                field<&Plan::ladder>("ladder", "what to change to save memory, the most first"),
                field<&Plan::measured>("measured", "null without `--from`"),
                field<&Plan::epoch>("epoch", "null where nothing is kept of each example"));
}

ObjectText plan_text() {
  return text_of<Plan>();
}

std::string to_json(const Plan& plan) {
  return document_of(plan);
}

}  // namespace lowtide::show
