#include <optional>
#include <string_view>
#include <type_traits>

#include "base/member_path.h"
#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/plan.h"

namespace lowtide::show {

using model::EpochForecast;
using model::ImageSize;
using model::PlanKnob;
using model::PlanMeasured;
using model::PlanPart;
using model::Range;
using plan::JobSetup;
using plan::Plan;
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

namespace {

// A member of the setup or of its base.
template <auto Member>
constexpr auto setup_field(const char* name, const char* meaning) {
  return field(name, meaning, [](const JobSetup& setup) { return setup.*Member; });
}

// The same for a count, which may be absent.
template <auto Member>
constexpr auto setup_count(const char* name, const char* meaning) {
  return field(name, meaning, [](const JobSetup& setup) {
    if constexpr (base::kIsOptional<std::remove_cvref_t<decltype(setup.*Member)>>) {
      return setup.*Member ? std::optional(Count{*(setup.*Member)}) : std::nullopt;
    } else {
      return Count{setup.*Member};
    }
  });
}

}  // namespace

constexpr auto describe(Tag<JobSetup>) {
  return object(
      "Setup", "what was given or assumed; null if it was not given",
      field("parameters", "parameters of the model",
            [](const JobSetup& setup) {
              return setup.parameters > 0 ? std::optional(Count{setup.parameters}) : std::nullopt;
            }),
      setup_field<&JobSetup::precision>("precision", "type of the weights"),
      setup_field<&JobSetup::mixed_precision>("mixed_precision",
                                              "whether there is a float32 copy of the weights"),
      setup_field<&JobSetup::optimizer>("optimizer", "its kind"),
      setup_count<&JobSetup::trainable>("trainable", "parameters that are trained"),
      setup_count<&JobSetup::lora_rank>("lora_rank", "rank of the LoRA adapters"),
      setup_count<&JobSetup::hidden>("hidden", "width of the model"),
      setup_count<&JobSetup::layers>("layers", "layers of the model"),
      setup_count<&JobSetup::heads>("heads", "attention heads"),
      setup_count<&JobSetup::kv_heads>("kv_heads", "key-value heads of grouped-query attention"),
      setup_field<&JobSetup::checkpointing>("gradient_checkpointing", "whether activations are recomputed"),
      field("device", "`cpu` or `cuda`",
            [](const JobSetup& setup) { return std::string_view(setup.on_cpu ? "cpu" : "cuda"); }),
      setup_count<&JobSetup::gpus>("gpus", "GPUs of this machine that train together"),
      setup_field<&JobSetup::sharding>("sharding", "what data-parallel GPUs share; FSDP is `zero3`"),
      setup_count<&JobSetup::tensor_parallel>("tensor_parallel", "GPUs that share each layer"),
      setup_count<&JobSetup::batch>("batch", "samples per GPU in a forward pass"),
      setup_count<&JobSetup::accumulation>("accumulation", "batches per optimizer step"),
      setup_count<&JobSetup::sequence>("sequence", "tokens per sample"),
      setup_count<&JobSetup::images_per_sample>("images_per_sample", "images per sample"),
      setup_field<&JobSetup::image>("image_size", "when it is opened"),
      setup_field<&JobSetup::resized>("resize", "for the model"),
      setup_count<&JobSetup::examples>("examples", "examples in the dataset"),
      setup_field<&JobSetup::examples_kept>("examples_kept",
                                            "what stays in memory of examples that were read"),
      setup_count<&JobSetup::workers>("workers", "DataLoader workers per GPU"),
      setup_count<&JobSetup::prefetch>("prefetch", "batches that each worker prefetches"),
      setup_field<&JobSetup::pins_memory>("pin_memory", "whether batches are pinned"),
      setup_count<&JobSetup::validation_episodes>("validation_episodes", "episodes per validation"),
      setup_count<&JobSetup::validation_samples>("validation_samples", "samples per episode"),
      setup_count<&JobSetup::compile_workers>("compile_workers", "processes that compile kernels"));
}

constexpr auto describe(Tag<PlanPart>) {
  return object(
      "PlanPart", "one use of memory", field<&PlanPart::component>("component", "what needs it"),
      field_as<ByteRange, &PlanPart::host>("host_bytes", "in host memory"),
      field_as<ByteRange, &PlanPart::device>("device_bytes", "on each GPU"),
      field<&PlanPart::in_children>("in_children", "whether it is in child processes of the trainer"),
      field<&PlanPart::formula>("formula", "how it was computed"),
      field_as<NonEmpty, &PlanPart::assumption>("assumption", "what the formula assumes"),
      field_as<WholeBytes, &PlanPart::measured_host>("measured_host_bytes", "measured in host memory"),
      field_as<WholeBytes, &PlanPart::measured_device>("measured_device_bytes", "measured on the GPU"));
}

constexpr auto describe(Tag<PlanKnob>) {
  return object(
      "PlanChange", "one thing to change", field<&PlanKnob::change>("change", "`workers 4 -> 2`"),
      field<&PlanKnob::how>("how", "as code: `num_workers=2`"),
      field<&PlanKnob::cost>("cost", "what it costs"),
      field_as<WholeBytes, &PlanKnob::host_bytes>("host_bytes", "host memory that it saves"),
      field_as<WholeBytes, &PlanKnob::device_bytes>("device_bytes", "GPU memory that it saves, on each GPU"));
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
      "Epoch", "where growth ends if the job keeps memory for each example",
      field_as<Number, &EpochForecast::end_step>("end_step", "the last step of the first epoch"),
      field_as<WholeBytes, &EpochForecast::example_bytes>("example_bytes", "what each example adds"),
      field_as<WholeBytes, &EpochForecast::bytes>("host_bytes",
                                                  "memory when every example has been used once"));
}

constexpr auto describe(Tag<Plan>) {
  return object(
      "Plan", "what `lowtide plan --json` prints", program_version<Plan>(), schema_version<Plan>(),
      field<&Plan::setup>("setup", "the training setup"),
      field_as<ByteRange, &Plan::host>("host_bytes", "the process tree"),
      field_as<ByteRange, &Plan::trainer>("trainer_bytes", "the training processes without their workers"),
      field_as<ByteRange, &Plan::device>("device_bytes", "each GPU"),
      field_as<WholeBytes, &Plan::checkpoint_bytes>(
          "checkpoint_bytes", "the weights as stored, which one process may load into host memory"),
      field_as<WholeBytes, &Plan::minimum_ram_bytes>("minimum_ram_bytes",
                                                     "the estimate for the host, in whole GiB"),
      field_as<WholeBytes, &Plan::comfortable_ram_bytes>("comfortable_ram_bytes",
                                                         "the upper end of the range, or the estimate with "
                                                         "the checkpoint in host memory, whichever is more, "
                                                         "in whole GiB"),
      field_as<WholeBytes, &Plan::limit_bytes>("limit_bytes", "host memory, from `--limit`"),
      field("fits_host", "whether the estimate is within it; null without a limit",
            [](const Plan& plan) { return plan::fits_host(plan); }),
      field_as<WholeBytes, &Plan::gpu_limit_bytes>("gpu_limit_bytes",
                                                   "memory of each GPU, from `--gpu-limit`"),
      field("fits_gpu", "whether the estimate is within it; null without a limit",
            [](const Plan& plan) { return plan::fits_gpu(plan); }),
      field<&Plan::parts>("parts", "what the totals consist of"),
      field<&Plan::ladder>("ladder", "changes that save memory, the largest saving first"),
      field<&Plan::measured>("measured", "null without `--from`"),
      field<&Plan::leak>("leak", "the verdict on the measured job if it leaks; the plan leaves the leak out"),
      field<&Plan::epoch>("epoch", "null unless memory still rises in the first epoch"));
}

ObjectText plan_text() {
  return text_of<Plan>();
}

std::string to_json(const Plan& plan) {
  return document_of(plan);
}

}  // namespace lowtide::show
