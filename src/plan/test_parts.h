// For tests: one part of a plan.
#pragma once

#include "plan/parts.h"

namespace lowtide::plan {

inline const model::PlanPart* find_part(const PlanParts& parts, model::PlanComponent component) {
  for (const model::PlanPart& part : parts) {
    if (part.component == component) return &part;
  }
  return nullptr;
}

inline double host_of(const PlanParts& parts, model::PlanComponent component) {
  const model::PlanPart* part = find_part(parts, component);
  return part != nullptr && part->host ? part->host->estimate : 0;
}

inline double device_of(const PlanParts& parts, model::PlanComponent component) {
  const model::PlanPart* part = find_part(parts, component);
  return part != nullptr && part->device ? part->device->estimate : 0;
}

}  // namespace lowtide::plan
