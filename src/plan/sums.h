#pragma once

#include "model/plan.h"
#include "plan/parts.h"

namespace lowtide::plan {

struct PlanSums {
  model::Range host;
  model::Range trainer;
  model::Range device;
};

PlanParts all_parts(const JobSetup& setup);
PlanSums add_up(const PlanParts& parts);

}  // namespace lowtide::plan
