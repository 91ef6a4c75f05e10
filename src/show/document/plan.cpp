#include "show/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "show/document/writers.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::PlanComponent;
using model::Range;

std::string component_name(PlanComponent component) {
  switch (component) {
    case PlanComponent::QuantizationConstants:
      return "4-bit scales";
    case PlanComponent::LoraWeights:
      return "LoRA weights";
    case PlanComponent::Pinned:
      return "pinned memory";
    case PlanComponent::AllocatorReserve:
      return "kept by allocator";
    default:
      break;
  }
  std::string name(to_string(component));
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

std::string with_bounds(const Range& range) {
  return fmt::format("({} to {})", base::format_bytes(range.low), base::format_bytes(range.high));
}

std::string cell(const std::optional<Range>& range) {
  return range ? base::format_bytes(range->estimate) : "-";
}

std::string cell(const std::optional<double>& bytes) {
  return bytes ? base::format_bytes(*bytes) : "-";
}

// Less than a megabyte does not matter to a plan.
std::string saved(double bytes) {
  constexpr double kWorthShowing = 1e6;
  if (std::abs(bytes) < kWorthShowing) return "-";
  return base::format_bytes(bytes);
}

bool has_device(const plan::Plan& plan) {
  return plan.device.estimate > 0;
}

std::string gpu_words(const plan::Plan& plan) {
  return plan.setup.gpus > 1 ? fmt::format("on each of {:.0f} GPUs", plan.setup.gpus) : "on the GPU";
}

std::string fit_words(const Range& needed, double limit) {
  const std::string size = base::format_limit(base::to_bytes(limit));
  if (needed.estimate > limit) {
    return fmt::format("{}: does not fit, {} too little", size, base::format_bytes(needed.estimate - limit));
  }
  return fmt::format("{}: fits, with {} to spare{}", size, base::format_bytes(limit - needed.estimate),
                     needed.high > limit ? ", but not at the upper end of the range" : "");
}

std::string difference_words(double planned, double measured) {
  return fmt::format("the plan is {:+.0f}%", 100 * (planned / measured - 1));
}

std::string measured_words(const plan::Plan& plan) {
  const model::PlanMeasured& measured = *plan.measured;
  // The plan is for a run without the leak, so it is not compared with what the leak grew to.
  const bool is_comparable = !plan.leak;
  std::string words;
  if (measured.host_bytes && *measured.host_bytes > 0) {
    words = fmt::format("{} on the host", base::format_bytes(*measured.host_bytes));
    if (measured.host_peak_bytes)
      words += fmt::format(", peak {}", base::format_bytes(*measured.host_peak_bytes));
    if (is_comparable) words += "; " + difference_words(plan.host.estimate, *measured.host_bytes);
  }
  if (measured.device_bytes && *measured.device_bytes > 0) {
    words +=
        fmt::format("{}{} on the GPU", words.empty() ? "" : "; ", base::format_bytes(*measured.device_bytes));
    const double planned = plan.device.estimate * plan.setup.gpus;
    if (planned > 0 && is_comparable) words += ", " + difference_words(planned, *measured.device_bytes);
  }
  if (words.empty()) words = "no total was measured";
  return words + " (" + measured.source + ")";
}

// "about 15.2 GB of host memory (9.1 GB to 31.4 GB) and 6.50 GB on the GPU (4.10 GB to 9.80 GB)"
std::string plan_headline(const plan::Plan& plan) {
  std::string words = fmt::format("about {} of host memory {}", base::format_bytes(plan.host.estimate),
                                  with_bounds(plan.host));
  if (has_device(plan)) {
    words += fmt::format(" and {} {} {}", base::format_bytes(plan.device.estimate), gpu_words(plan),
                         with_bounds(plan.device));
  }
  return words;
}

std::string checkpoint_words(const plan::Plan& plan) {
  return fmt::format(
      "{} as stored. A process that loads it into host memory, or gathers it there to save it, needs that "
      "much more RAM; safetensors with device_map does not",
      base::format_bytes(plan.checkpoint_bytes));
}

void add_limits(const plan::Plan& plan, std::vector<Fact>& facts) {
  if (plan.limit_bytes) {
    std::string words = fit_words(plan.host, *plan.limit_bytes);
    if (has_device(plan) && !plan.gpu_limit_bytes) words += ". GPU memory is not checked: use --gpu-limit";
    facts.push_back({.name = "host limit", .value = std::move(words)});
  }
  if (plan.gpu_limit_bytes) {
    facts.push_back({.name = "GPU limit", .value = fit_words(plan.device, *plan.gpu_limit_bytes)});
  }
}

Facts plan_facts(const plan::Plan& plan) {
  std::vector<Fact> facts = {
      {.name = "RAM",
       .value = fmt::format("at least {}, better {}, for this job alone",
                            base::format_limit(base::to_bytes(plan.minimum_ram_bytes)),
                            base::format_limit(base::to_bytes(plan.comfortable_ram_bytes)))}};
  if (plan.checkpoint_bytes > 0) facts.push_back({.name = "checkpoint", .value = checkpoint_words(plan)});
  add_limits(plan, facts);
  if (plan.trainer.estimate < plan.host.estimate) {
    facts.push_back({.name = plan.setup.gpus > 1 ? "trainers" : "trainer",
                     .value = fmt::format("{} of the host memory is in the training process{} {}",
                                          base::format_bytes(plan.trainer.estimate),
                                          plan.setup.gpus > 1 ? "es" : "", with_bounds(plan.trainer))});
  }
  if (plan.leak) {
    facts.push_back(
        {.name = "leak", .value = *plan.leak + ". The plan leaves out what the leak holds; fix it first"});
  }
  if (plan.measured) facts.push_back({.name = "measured", .value = measured_words(plan)});
  if (plan.epoch) {
    facts.push_back(
        {.name = "epoch",
         .value = fmt::format("if the job keeps {} of each example, growth ends at step {:.0f} with {}",
                              base::format_bytes(plan.epoch->example_bytes), std::ceil(plan.epoch->end_step),
                              base::format_bytes(plan.epoch->bytes))});
  }
  return {.facts = std::move(facts)};
}

Formats where_if(bool is_there) {
  return is_there ? kEverywhere : Formats{0};
}

Table parts_table(const plan::Plan& plan) {
  const Formats device = where_if(has_device(plan));
  const Formats measured = where_if(plan.measured.has_value());
  Table table{.columns = {{"part"},
                          {"host"},
                          {"GPU", device},
                          {"measured", measured},
                          {"on GPU", static_cast<Formats>(device & measured)},
                          {"formula"}}};
  for (const model::PlanPart& part : plan.parts) {
    table.rows.push_back(
        {{component_name(part.component), cell(part.host), cell(part.device), cell(part.measured_host),
          cell(part.measured_device), base::printable(part.formula)}});
  }
  const model::PlanMeasured all = plan.measured.value_or(model::PlanMeasured{});
  table.rows.push_back({{"total", cell(std::optional(plan.host)), cell(std::optional(plan.device)),
                         cell(all.host_bytes), cell(all.device_bytes), ""}});
  return table;
}

Table knobs_table(const plan::Plan& plan) {
  Table table{.columns = {{"change"}, {"host"}, {"GPU", where_if(has_device(plan))}, {"how"}}};
  for (const model::PlanKnob& knob : plan.ladder) {
    table.rows.push_back({{knob.change, saved(knob.host_bytes), saved(knob.device_bytes),
                           base::printable(knob.how + "; cost: " + knob.cost)}});
  }
  return table;
}

Table assumptions_table(const plan::Plan& plan) {
  Table table{.columns = {{""}, {""}}, .has_head_in_text = false};
  for (const model::PlanPart& part : plan.parts) {
    if (!part.assumption.empty())
      table.rows.push_back({{component_name(part.component), base::printable(part.assumption)}});
  }
  return table;
}

Document plan_document(const plan::Plan& plan) {
  Section answer{.blocks = {Answer{.in = kText, .words = plan_headline(plan)}, plan_facts(plan)},
                 .is_brief = true};
  return {.title = sentence(plan_headline(plan)),
          .sections = {std::move(answer), table_section("parts", parts_table(plan)),
                       table_section("changes that save memory, largest first", knobs_table(plan)),
                       table_section("assumptions", assumptions_table(plan))},
          .widest_cell = 44};
}

}  // namespace

std::string to_text(const plan::Plan& plan, const TextOptions& options) {
  return write_text(plan_document(plan), options);
}

std::string to_markdown(const plan::Plan& plan) {
  return write_markdown(plan_document(plan));
}

}  // namespace lowtide::show
