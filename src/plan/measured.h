// What was seen of a job, set beside what its plan says.
#pragma once

#include <optional>

#include "model/plan.h"
#include "model/report.h"

namespace lowtide::plan {

void add_measured(model::Plan& plan, const model::Report& report);

// By its tensors; where the report knows a figure too, that one stays.
void add_measured(model::Plan& plan, const model::TensorFacts& facts);

// Where memory rises with the steps of a first epoch that is not over: what it comes to when every example
// has been seen once. Absent where it does not rise, where there are no steps, or where that epoch is over.
std::optional<model::EpochForecast> forecast_epoch(const model::TrainingSetup& setup,
                                                   const model::Report& report);

}  // namespace lowtide::plan
