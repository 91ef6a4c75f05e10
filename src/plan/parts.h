// The parts of a plan, by theme. A part that would take nothing is left out.
#pragma once

#include <vector>

#include "model/plan.h"

namespace lowtide::plan {

using PlanParts = std::vector<model::PlanPart>;

// Weights, the constants of quantised ones, LoRA's.
PlanParts weight_parts(const model::TrainingSetup& setup);

// Gradients and optimizer states.
PlanParts training_state_parts(const model::TrainingSetup& setup);

PlanParts activation_parts(const model::TrainingSetup& setup);

// The dataset, opened examples, a pool, batches under way, pinned memory.
PlanParts data_parts(const model::TrainingSetup& setup);

PlanParts validation_parts(const model::TrainingSetup& setup);

// Libraries, workers, compile workers.
PlanParts process_parts(const model::TrainingSetup& setup);

// What allocators keep beyond all of these.
PlanParts reserve_parts(const PlanParts& others);

}  // namespace lowtide::plan
