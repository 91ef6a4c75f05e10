#include "show/plan.h"
#include "show/json/values.h"

namespace lowtide::show {
namespace {

Json range(const model::Range& bytes) {
  return {{"estimate", bytes_number(bytes.estimate)},
          {"low", bytes_number(bytes.low)},
          {"high", bytes_number(bytes.high)}};
}

Json range_or_null(const std::optional<model::Range>& bytes) {
  return bytes ? range(*bytes) : Json(nullptr);
}

Json bytes_or_null(const std::optional<double>& bytes) {
  return bytes ? bytes_number(*bytes) : Json(nullptr);
}

Json count_or_null(const std::optional<double>& count) {
  return count ? number(*count, 12) : Json(nullptr);
}

Json image_or_null(const std::optional<model::ImageSize>& size) {
  return size ? Json({{"width", size->width}, {"height", size->height}}) : Json(nullptr);
}

Json setup(const model::TrainingSetup& told) {
  return {{"parameters", told.parameters > 0 ? number(told.parameters, 12) : Json(nullptr)},
          {"precision", to_string(told.precision)},
          {"optimizer", to_string(told.optimizer)},
          {"trainable", count_or_null(told.trainable)},
          {"lora_rank", count_or_null(told.lora_rank)},
          {"hidden", count_or_null(told.hidden)},
          {"layers", count_or_null(told.layers)},
          {"gradient_checkpointing", told.checkpointing},
          {"device", told.on_cpu ? "cpu" : "cuda"},
          {"batch", number(told.batch, 12)},
          {"accumulation", number(told.accumulation, 12)},
          {"sequence", count_or_null(told.sequence)},
          {"images_per_sample", number(told.images_per_sample, 12)},
          {"image_size", image_or_null(told.image)},
          {"resize", image_or_null(told.resized)},
          {"examples", count_or_null(told.examples)},
          {"examples_kept", to_string(told.examples_kept)},
          {"workers", number(told.workers, 12)},
          {"prefetch", number(told.prefetch, 12)},
          {"pin_memory", told.pins_memory},
          {"validation_episodes", number(told.validation_episodes, 12)},
          {"validation_samples", number(told.validation_samples, 12)},
          {"compile_workers", number(told.compile_workers, 12)}};
}

Json parts(const model::Plan& plan) {
  Json list = Json::array();
  for (const model::PlanPart& part : plan.parts) {
    list.push_back({{"component", to_string(part.component)},
                    {"host_bytes", range_or_null(part.host)},
                    {"device_bytes", range_or_null(part.device)},
                    {"in_children", part.in_children},
                    {"formula", part.formula},
                    {"assumption", text_or_null(part.assumption)},
                    {"measured_host_bytes", bytes_or_null(part.measured_host)},
                    {"measured_device_bytes", bytes_or_null(part.measured_device)}});
  }
  return list;
}

Json ladder(const model::Plan& plan) {
  Json list = Json::array();
  for (const model::PlanKnob& knob : plan.ladder) {
    list.push_back({{"change", knob.change},
                    {"how", knob.how},
                    {"cost", knob.cost},
                    {"host_bytes", bytes_number(knob.host_bytes)},
                    {"device_bytes", bytes_number(knob.device_bytes)}});
  }
  return list;
}

Json measured(const std::optional<model::PlanMeasured>& seen) {
  if (!seen) return nullptr;
  return {{"source", seen->source},
          {"host_bytes", bytes_or_null(seen->host_bytes)},
          {"host_peak_bytes", bytes_or_null(seen->host_peak_bytes)},
          {"device_bytes", bytes_or_null(seen->device_bytes)}};
}

Json epoch(const std::optional<model::EpochForecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"end_step", number(forecast->end_step)},
          {"example_bytes", bytes_number(forecast->example_bytes)},
          {"host_bytes", bytes_number(forecast->bytes)}};
}

}  // namespace

std::string to_json(const model::Plan& plan) {
  const Json json = {{"lowtide", LOWTIDE_VERSION},
                     {"schema", 1},
                     {"setup", setup(plan.setup)},
                     {"host_bytes", range(plan.host)},
                     {"trainer_bytes", range(plan.trainer)},
                     {"device_bytes", range(plan.device)},
                     {"minimum_ram_bytes", bytes_number(plan.minimum_ram_bytes)},
                     {"comfortable_ram_bytes", bytes_number(plan.comfortable_ram_bytes)},
                     {"limit_bytes", bytes_or_null(plan.limit_bytes)},
                     {"parts", parts(plan)},
                     {"ladder", ladder(plan)},
                     {"measured", measured(plan.measured)},
                     {"epoch", epoch(plan.epoch)}};
  return json.dump(2, ' ', false, kReplaceInvalid) + "\n";
}

}  // namespace lowtide::show
