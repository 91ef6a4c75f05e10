#include "plan/plan.h"

#include <cmath>

#include "plan/ladder.h"
#include "plan/range.h"
#include "plan/sums.h"

namespace lowtide::plan {
namespace {

// As memory is sold.
double whole_gibibytes(double bytes) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return std::ceil(bytes / kGiB) * kGiB;
}

}  // namespace

PlanParts all_parts(const model::TrainingSetup& setup) {
  PlanParts parts = process_parts(setup);
  const auto append = [&](const PlanParts& more) { parts.insert(parts.end(), more.begin(), more.end()); };
  append(weight_parts(setup));
  append(training_state_parts(setup));
  append(activation_parts(setup));
  append(data_parts(setup));
  append(validation_parts(setup));
  append(reserve_parts(parts));
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

model::Plan make_plan(const model::TrainingSetup& setup) {
  model::Plan plan;
  plan.setup = setup;
  plan.parts = all_parts(setup);
  const PlanSums sums = add_up(plan.parts);
  plan.host = sums.host;
  plan.trainer = sums.trainer;
  plan.device = sums.device;
  plan.minimum_ram_bytes = whole_gibibytes(plan.host.estimate);
  plan.comfortable_ram_bytes = whole_gibibytes(plan.host.high);
  plan.ladder = make_ladder(setup);
  return plan;
}

}  // namespace lowtide::plan
