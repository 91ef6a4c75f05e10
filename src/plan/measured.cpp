#include "plan/measured.h"

#include <algorithm>
#include <string>

namespace lowtide::plan {
namespace {

using model::PlanComponent;
using model::PlanPart;

PlanPart& part_of(Plan& plan, PlanComponent component) {
  const auto found = std::find_if(plan.parts.begin(), plan.parts.end(),
                                  [&](const PlanPart& part) { return part.component == component; });
  if (found != plan.parts.end()) return *found;
  PlanPart part;
  part.component = component;
  part.formula = "not in the plan";
  plan.parts.push_back(std::move(part));
  return plan.parts.back();
}

void see_on_host(Plan& plan, PlanComponent component, double bytes) {
  if (bytes > 0) part_of(plan, component).measured_host = bytes;
}

void see_on_device(Plan& plan, PlanComponent component, double bytes) {
  if (bytes > 0) part_of(plan, component).measured_device = bytes;
}

double of_role(const model::Report& report, model::ProcessRole role) {
  double bytes = 0;
  for (const model::ProcessReport& process : report.processes) {
    if (process.info.role == role) bytes += static_cast<double>(process.series.last_bytes);
  }
  return bytes;
}

double peak_of_phase(const model::Report& report, const std::string& name) {
  double bytes = 0;
  for (const model::PhaseReport& each : report.phases) {
    if (each.phase.name == name) bytes = std::max(bytes, static_cast<double>(each.phase.peak_bytes));
  }
  return bytes;
}

const model::SeriesReport* find_tree(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return nullptr;
  for (const model::SeriesReport& series : report.runs[report.primary_run].series) {
    if (!model::is_gpu_memory(series.quantity)) return &series;
  }
  return nullptr;
}

void see_gpus(Plan& plan, const model::Report& report) {
  double reserve = 0;
  double outside = 0;
  double pinned = 0;
  double process = 0;
  for (const model::GpuReport& gpu : report.gpus) {
    if (gpu.process_bytes) process += static_cast<double>(*gpu.process_bytes);
    if (const auto bytes = outside_torch_bytes(gpu)) outside += static_cast<double>(*bytes);
    if (!gpu.torch) continue;
    reserve +=
        static_cast<double>(gpu.torch->reserved_bytes) - static_cast<double>(gpu.torch->allocated_bytes);
    pinned = std::max(pinned, static_cast<double>(gpu.torch->pinned_bytes));
  }
  see_on_device(plan, PlanComponent::AllocatorReserve, reserve);
  see_on_device(plan, PlanComponent::Libraries, outside);
  see_on_host(plan, PlanComponent::Pinned, pinned);
  if (process > 0) plan.measured->device_bytes = process;
}

}  // namespace

void add_measured(Plan& plan, const model::Report& report) {
  if (!plan.measured) plan.measured.emplace();
  if (const model::SeriesReport* tree = find_tree(report)) {
    plan.measured->host_bytes = static_cast<double>(tree->last_bytes);
    plan.measured->host_peak_bytes = static_cast<double>(tree->peak_bytes);
  }
  see_on_host(plan, PlanComponent::Workers, of_role(report, model::ProcessRole::Worker));
  see_on_host(plan, PlanComponent::CompileWorkers, of_role(report, model::ProcessRole::CompileWorker));
  const double train = peak_of_phase(report, "train");
  if (train > 0) see_on_host(plan, PlanComponent::Validation, peak_of_phase(report, "eval") - train);
  see_gpus(plan, report);
}

void add_measured(Plan& plan, const model::TensorFacts& facts, bool has_lora_tensors) {
  if (!plan.measured) plan.measured.emplace();
  const auto see = facts.is_on_device ? see_on_device : see_on_host;
  see(plan, PlanComponent::Weights, facts.frozen_bytes + (has_lora_tensors ? 0 : facts.trained_bytes));
  if (has_lora_tensors) see(plan, PlanComponent::LoraWeights, facts.trained_bytes);
  see(plan, PlanComponent::Gradients, facts.gradient_bytes);
  see(plan, PlanComponent::OptimizerStates, facts.optimizer_bytes);
  if (facts.is_on_device) see_on_host(plan, PlanComponent::Batches, facts.host_bytes);
}

std::optional<model::EpochForecast> forecast_epoch(const JobSetup& setup, const model::Report& report) {
  const model::SeriesReport* tree = find_tree(report);
  if (tree == nullptr || !setup.examples || !tree->last_step) return std::nullopt;
  const model::Verdict& verdict = tree->verdict;
  if (!verdict.rate || verdict.axis != model::Axis::Step || verdict.rate->bytes <= 0) return std::nullopt;
  const double per_step = setup.batch * setup.accumulation;
  const double end_step = *setup.examples / per_step;
  if (*tree->last_step >= end_step) return std::nullopt;
  return model::EpochForecast{
      end_step, verdict.rate->bytes / per_step,
      static_cast<double>(tree->last_bytes) + verdict.rate->bytes * (end_step - *tree->last_step)};
}

}  // namespace lowtide::plan
