// The parts of a plan, by theme. A part that needs no memory is left out. What lies on a GPU is for one GPU;
// what lies in host memory is for one training process.
#pragma once

#include <vector>

#include "model/plan.h"
#include "plan/setup.h"

namespace lowtide::plan {

using PlanParts = std::vector<model::PlanPart>;

// Weights, the scales of quantized weights, LoRA weights.
PlanParts weight_parts(const JobSetup& setup);

// Gradients and optimizer states.
PlanParts training_state_parts(const JobSetup& setup);

PlanParts activation_parts(const JobSetup& setup);

// The dataset, opened examples, a pool, prefetched batches, pinned memory.
PlanParts data_parts(const JobSetup& setup);

PlanParts validation_parts(const JobSetup& setup);

// Libraries, workers, compile workers.
PlanParts process_parts(const JobSetup& setup);

// Free memory that the allocators keep on top of `others`.
PlanParts reserve_parts(const JobSetup& setup, const PlanParts& others);

}  // namespace lowtide::plan
