// What was measured of a job, beside its plan.
#pragma once

#include <optional>

#include "model/report.h"
#include "plan/plan.h"

namespace lowtide::plan {

void add_measured(Plan& plan, const model::Report& report);

// From its tensors. A figure of the report is not replaced.
void add_measured(Plan& plan, const model::TensorFacts& facts, bool has_lora_tensors);

// If memory rises during a first epoch that is not over: how high it rises until every example has been used
// once. Absent if memory does not rise, if there are no steps, or if that epoch is over.
std::optional<model::EpochForecast> forecast_epoch(const JobSetup& setup, const model::Report& report);

}  // namespace lowtide::plan
