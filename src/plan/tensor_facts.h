// What the tensors of a process show of its model.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/holder_report.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lowtide::plan {

struct ModelTensors {
  model::TensorFacts facts;
  bool has_lora = false;  // pairs of low-rank matrices are trained beside weights that are not
};

// Absent if there are no tensors. Tensors that require a gradient count as trained; others of the same shapes
// as their gradients and optimizer states.
std::optional<ModelTensors> tensors_of(std::span<const model::TensorCount> tensors);

// The tensors of the last snapshot of a job that leaks, without the tensors that leak: those that became more
// since the snapshot before, or that a growing variable holds. Gradients and optimizer states stay.
std::vector<model::TensorCount> without_leak(std::span<const model::Snapshot> snapshots,
                                             std::span<const model::HolderReport> growing);

}  // namespace lowtide::plan
