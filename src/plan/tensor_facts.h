// What the tensors of a live process say of its model.
#pragma once

#include <optional>
#include <span>

#include "model/plan.h"
#include "model/snapshot.h"

namespace lowtide::plan {

// Absent where there are none. Tensors that require a gradient are taken for those that are trained; others
// of the same shapes for their gradients and the states of the optimizer.
std::optional<model::TensorFacts> facts_of(std::span<const model::TensorCount> tensors);

}  // namespace lowtide::plan
