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
      return "held in reserve";
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

// "about 15.2 GB of host memory (9.1 GB to 31.4 GB) and 6.50 GB on the GPU (4.10 GB to 9.80 GB)"
std::string plan_headline(const model::Plan& plan) {
  std::string words = fmt::format("about {} of host memory {}", base::format_bytes(plan.host.estimate),
                                  with_bounds(plan.host));
  if (has_device(plan)) {
    words += fmt::format(" and {} on the GPU {}", base::format_bytes(plan.device.estimate),
                         with_bounds(plan.device));
  }
  return words;
}

Facts plan_facts(const model::Plan& plan) {
  std::vector<Fact> facts = {
      {.name = "RAM",
       .value = fmt::format("{} at the least, {} to be comfortable, for this job alone",
                            limit_size(base::to_bytes(plan.minimum_ram_bytes)),
                            limit_size(base::to_bytes(plan.comfortable_ram_bytes)))}};
  if (plan.limit_bytes) facts.push_back({.name = "limit", .value = fit_words(plan)});
  if (plan.trainer.estimate < plan.host.estimate) {
    facts.push_back(
        {.name = "trainer",
         .value = fmt::format("{} of that is the training process itself {}",
                              base::format_bytes(plan.trainer.estimate), with_bounds(plan.trainer))});
  }
  if (plan.measured) facts.push_back({.name = "measured", .value = measured_words(plan)});
  if (plan.epoch) {
    facts.push_back({.name = "epoch",
                     .value = fmt::format(
                         "if what grows is kept of each example, {} of each, it stops at step {:.0f} with {}",
                         base::format_bytes(plan.epoch->example_bytes), std::ceil(plan.epoch->end_step),
                         base::format_bytes(plan.epoch->bytes))});
  }
  return {.facts = std::move(facts)};
}

Formats where_if(bool is_there) {
  return is_there ? kEverywhere : Formats{0};
}

Table parts_table(const model::Plan& plan) {
  const Formats device = where_if(has_device(plan));
  const Formats measured = where_if(plan.measured.has_value());
  Table table{.columns = {{""},
                          {"host"},
                          {"GPU", device},
                          {"measured", measured},
                          {"on GPU", static_cast<Formats>(device & measured)},
                          {"of what"}}};
  for (const model::PlanPart& part : plan.parts) {
    table.rows.push_back(
        {{component_name(part.component), cell(part.host), cell(part.device), cell(part.measured_host),
          cell(part.measured_device), base::printable(part.formula)}});
  }
  const model::PlanMeasured all = plan.measured.value_or(model::PlanMeasured{});
  table.rows.push_back({{"sum", cell(std::optional(plan.host)), cell(std::optional(plan.device)),
                         cell(all.host_bytes), cell(all.device_bytes), ""}});
  return table;
}

Table knobs_table(const model::Plan& plan) {
  Table table{.columns = {{""}, {"host"}, {"GPU", where_if(has_device(plan))}, {"how"}}};
  for (const model::PlanKnob& knob : plan.ladder) {
    table.rows.push_back({{knob.change, bought(knob.host_bytes), bought(knob.device_bytes),
                           base::printable(knob.how + "; costs " + knob.cost)}});
  }
  return table;
}

Table assumptions_table(const model::Plan& plan) {
  Table table{.columns = {{""}, {""}}, .has_head_in_text = false};
  for (const model::PlanPart& part : plan.parts) {
    if (!part.assumption.empty())
      table.rows.push_back({{component_name(part.component), base::printable(part.assumption)}});
  }
  return table;
}

Document plan_document(const model::Plan& plan) {
  Section answer{.blocks = {Answer{.in = kText, .words = plan_headline(plan)}, plan_facts(plan)},
                 .is_brief = true};
  return {.title = sentence(plan_headline(plan)),
          .sections = {std::move(answer), table_section("of what it is made", parts_table(plan)),
                       table_section("what to try next, by what it buys", knobs_table(plan)),
                       table_section("what is assumed", assumptions_table(plan))},
          .widest_cell = 44};
}

}  // namespace

std::string to_text(const model::Plan& plan, const TextOptions& options) {
  return write_text(plan_document(plan), options);
}

std::string to_markdown(const model::Plan& plan) {
  return write_markdown(plan_document(plan));
}

}  // namespace lowtide::show
