#pragma once

#include <string>
#include <utility>

#include "model/plan.h"

namespace lowtide::plan {

// A part that lies where the model is.
inline model::PlanPart model_part(const model::TrainingSetup& setup, model::PlanComponent component,
                                  const model::Range& bytes, std::string formula,
                                  std::string assumption = "") {
  model::PlanPart part;
  part.component = component;
  (setup.on_cpu ? part.host : part.device) = bytes;
  part.formula = std::move(formula);
  part.assumption = std::move(assumption);
  return part;
}

// A part in the memory of the host.
inline model::PlanPart host_part(model::PlanComponent component, const model::Range& bytes,
                                 std::string formula, std::string assumption = "") {
  model::PlanPart part;
  part.component = component;
  part.host = bytes;
  part.formula = std::move(formula);
  part.assumption = std::move(assumption);
  return part;
}

}  // namespace lowtide::plan
