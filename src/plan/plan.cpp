#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/ladder.h"
#include "plan/range.h"
#include "plan/shape.h"
#include "plan/sums.h"

namespace lowtide::plan {
namespace {

// As memory is sold.
double whole_gibibytes(double bytes) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return std::ceil(bytes / kGiB) * kGiB;
}

// Each GPU has a training process of its own, with its own libraries, workers and batches.
void count_every_process(const JobSetup& setup, PlanParts& parts) {
  if (setup.gpus <= 1) return;
  for (model::PlanPart& part : parts) {
    if (!part.host) continue;
    // Each process opens its share of the examples in the first epoch, and in later ones those of others.
    if (part.component == model::PlanComponent::OpenedExamples) {
      part.host->high *= setup.gpus;
      continue;
    }
    *part.host = *part.host * setup.gpus;
    part.formula += fmt::format(", host x {:.0f} processes", setup.gpus);
  }
}

double checkpoint_bytes(const JobSetup& setup) {
  if (setup.tensors) return setup.tensors->frozen_bytes + setup.tensors->trained_bytes;
  // Weights that are quantized while they are loaded are stored in 16 bits.
  return setup.parameters * std::max(2.0, weight_bytes(setup.precision));
}

}  // namespace

PlanParts all_parts(const JobSetup& setup) {
  PlanParts parts = process_parts(setup);
  const auto append = [&](const PlanParts& more) { parts.insert(parts.end(), more.begin(), more.end()); };
  append(weight_parts(setup));
  append(training_state_parts(setup));
  append(activation_parts(setup));
  append(data_parts(setup));
  append(validation_parts(setup));
  append(reserve_parts(setup, parts));
  count_every_process(setup, parts);
  return parts;
}

PlanSums add_up(const PlanParts& parts) {
  RangeSum host;
  RangeSum trainer;
  RangeSum device;
  for (const model::PlanPart& part : parts) {
    if (part.host) {
      host.add(*part.host);
      if (!part.in_children) trainer.add(*part.host);
    }
    if (part.device) device.add(*part.device);
  }
  return {host.range(), trainer.range(), device.range()};
}

Plan make_plan(const JobSetup& setup) {
  Plan plan;
  plan.setup = setup;
  plan.parts = all_parts(setup);
  const PlanSums sums = add_up(plan.parts);
  plan.host = sums.host;
  plan.trainer = sums.trainer;
  plan.device = sums.device;
  plan.checkpoint_bytes = checkpoint_bytes(setup);
  plan.minimum_ram_bytes = whole_gibibytes(plan.host.estimate);
  plan.comfortable_ram_bytes =
      whole_gibibytes(std::max(plan.host.high, plan.host.estimate + plan.checkpoint_bytes));
  plan.ladder = make_ladder(setup);
  return plan;
}

std::optional<bool> fits_host(const Plan& plan) {
  if (!plan.limit_bytes) return std::nullopt;
  return plan.host.estimate <= *plan.limit_bytes;
}

std::optional<bool> fits_gpu(const Plan& plan) {
  if (!plan.gpu_limit_bytes) return std::nullopt;
  return plan.device.estimate <= *plan.gpu_limit_bytes;
}

}  // namespace lowtide::plan
