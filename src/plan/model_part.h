#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "model/plan.h"
#include "plan/setup.h"

namespace lowtide::plan {

// A part that lies where the model is.
inline model::PlanPart model_part(const JobSetup& setup, model::PlanComponent component,
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

// " / 8 GPUs" for the formula of a part of which one GPU holds 1/8.
inline std::string divided_by(double share) {
  return share > 1 ? fmt::format(" / {:.0f} GPUs", share) : "";
}

}  // namespace lowtide::plan
