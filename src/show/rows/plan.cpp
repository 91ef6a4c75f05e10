#include "show/rows/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::PlanComponent;
using model::Range;

std::string component_name(PlanComponent component) {
  switch (component) {
    case PlanComponent::Libraries:
      return "libraries";
    case PlanComponent::Weights:
      return "weights";
    case PlanComponent::QuantizationConstants:
      return "4-bit scales";
    case PlanComponent::LoraWeights:
      return "LoRA weights";
    case PlanComponent::Gradients:
      return "gradients";
    case PlanComponent::OptimizerStates:
      return "optimizer states";
    case PlanComponent::Activations:
      return "activations";
    case PlanComponent::Dataset:
      return "dataset";
    case PlanComponent::OpenedExamples:
      return "opened examples";
    case PlanComponent::Pool:
      return "pool";
    case PlanComponent::Batches:
      return "batches";
    case PlanComponent::Pinned:
      return "pinned memory";
    case PlanComponent::Workers:
      return "workers";
    case PlanComponent::CompileWorkers:
      return "compile workers";
    case PlanComponent::Validation:
      return "validation";
    case PlanComponent::AllocatorReserve:
      break;
  }
  return "held in reserve";
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

// Less than a megabyte is nothing to a plan.
std::string bought(double bytes) {
  constexpr double kWorthTelling = 1e6;
  if (std::abs(bytes) < kWorthTelling) return "-";
  return base::format_bytes(bytes);
}

bool has_device(const model::Plan& plan) {
  return plan.device.estimate > 0;
}

std::string fit_words(const model::Plan& plan) {
  const double limit = *plan.limit_bytes;
  const std::string size = limit_size(base::to_bytes(limit));
  if (plan.host.estimate > limit) {
    return fmt::format("{}: too little by {}", size, base::format_bytes(plan.host.estimate - limit));
  }
  return fmt::format("{}: fits, with {} to spare{}", size, base::format_bytes(limit - plan.host.estimate),
                     plan.host.high > limit ? "; at the upper end of the range it does not" : "");
}

std::string measured_words(const model::Plan& plan) {
  const model::PlanMeasured& measured = *plan.measured;
  std::string words;
  if (measured.host_bytes && *measured.host_bytes > 0) {
    const double off = 100 * (plan.host.estimate / *measured.host_bytes - 1);
    words = fmt::format("{} on the host", base::format_bytes(*measured.host_bytes));
    if (measured.host_peak_bytes)
      words += fmt::format(", {} at its peak", base::format_bytes(*measured.host_peak_bytes));
    words += fmt::format("; the plan is {:+.0f} %", off);
  }
  if (measured.device_bytes && *measured.device_bytes > 0) {
    words +=
        fmt::format("{}{} on the GPU", words.empty() ? "" : "; ", base::format_bytes(*measured.device_bytes));
    if (plan.device.estimate > 0) {
      words +=
          fmt::format(", the plan is {:+.0f} %", 100 * (plan.device.estimate / *measured.device_bytes - 1));
    }
  }
  if (words.empty()) words = "nothing that tells of the whole";
  return words + " (" + measured.source + ")";
}

}  // namespace

std::string headline(const model::Plan& plan) {
  std::string words = fmt::format("about {} of host memory {}", base::format_bytes(plan.host.estimate),
                                  with_bounds(plan.host));
  if (has_device(plan)) {
    words += fmt::format(" and {} on the GPU {}", base::format_bytes(plan.device.estimate),
                         with_bounds(plan.device));
  }
  return words;
}

std::vector<Row> fact_rows(const model::Plan& plan) {
  std::vector<Row> rows = {{"RAM", fmt::format("{} at the least, {} to be comfortable, for this job alone",
                                               limit_size(base::to_bytes(plan.minimum_ram_bytes)),
                                               limit_size(base::to_bytes(plan.comfortable_ram_bytes)))}};
  if (plan.limit_bytes) rows.push_back({"limit", fit_words(plan)});
  if (plan.trainer.estimate < plan.host.estimate) {
    rows.push_back(
        {"trainer", fmt::format("{} of that is the training process itself {}",
                                base::format_bytes(plan.trainer.estimate), with_bounds(plan.trainer))});
  }
  if (plan.measured) rows.push_back({"measured", measured_words(plan)});
  if (plan.epoch) {
    rows.push_back(
        {"epoch",
         fmt::format("if what grows is kept of each example, {} of each, it stops at step {:.0f} with {}",
                     base::format_bytes(plan.epoch->example_bytes), std::ceil(plan.epoch->end_step),
                     base::format_bytes(plan.epoch->bytes))});
  }
  return rows;
}

Row part_head(const model::Plan& plan) {
  Row head = {"", "host"};
  if (has_device(plan)) head.emplace_back("GPU");
  if (plan.measured) head.emplace_back("measured");
  if (plan.measured && has_device(plan)) head.emplace_back("on GPU");
  head.emplace_back("of what");
  return head;
}

std::vector<Row> part_rows(const model::Plan& plan) {
  std::vector<Row> rows;
  const auto add = [&](std::string name, const auto& host, const auto& device,
                       std::optional<double> measured_host, std::optional<double> measured_device,
                       std::string formula) {
    Row row = {std::move(name), cell(host)};
    if (has_device(plan)) row.push_back(cell(device));
    if (plan.measured) row.push_back(cell(measured_host));
    if (plan.measured && has_device(plan)) row.push_back(cell(measured_device));
    row.push_back(std::move(formula));
    rows.push_back(std::move(row));
  };
  for (const model::PlanPart& part : plan.parts) {
    add(component_name(part.component), part.host, part.device, part.measured_host, part.measured_device,
        part.formula);
  }
  add("sum", std::optional(plan.host), std::optional(plan.device),
      plan.measured ? plan.measured->host_bytes : std::nullopt,
      plan.measured ? plan.measured->device_bytes : std::nullopt, "");
  return rows;
}

Row knob_head(const model::Plan& plan) {
  return has_device(plan) ? Row{"", "host", "GPU", "how"} : Row{"", "host", "how"};
}

std::vector<Row> knob_rows(const model::Plan& plan) {
  std::vector<Row> rows;
  for (const model::PlanKnob& knob : plan.ladder) {
    Row row = {knob.change, bought(knob.host_bytes)};
    if (has_device(plan)) row.push_back(bought(knob.device_bytes));
    row.push_back(knob.how + "; costs " + knob.cost);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> assumption_rows(const model::Plan& plan) {
  std::vector<Row> rows;
  for (const model::PlanPart& part : plan.parts) {
    if (!part.assumption.empty()) rows.push_back({component_name(part.component), part.assumption});
  }
  return rows;
}

}  // namespace lowtide::show
