// The memory that a training setup needs, estimated before it runs.
//
// Each theme is a file of its own that turns the setup into parts. A part has its formula in words and states
// what it assumes. Formulas and sources: docs/plan.md. How far the estimate was off: docs/design/plan.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/plan.h"
#include "plan/setup.h"

namespace lowtide::plan {

struct Plan {
  JobSetup setup;
  std::vector<model::PlanPart> parts;
  model::Range host;            // the process tree, all training processes of this machine
  model::Range trainer;         // the training processes without their workers
  model::Range device;          // each GPU
  double checkpoint_bytes = 0;  // the weights as they are stored, which one process may have in host memory
  double minimum_ram_bytes = 0;
  double comfortable_ram_bytes = 0;            // with a checkpoint in host memory
  std::optional<double> limit_bytes = {};      // of the host
  std::optional<double> gpu_limit_bytes = {};  // of each GPU
  std::vector<model::PlanKnob> ladder = {};    // the largest saving first
  std::optional<model::PlanMeasured> measured = {};
  std::optional<std::string> leak = {};  // what the report says of a measured job that leaks
  std::optional<model::EpochForecast> epoch = {};
};

// The parts with their sums, and what each change would save.
Plan make_plan(const JobSetup& setup);

// Whether the estimate is within the limit; absent without a limit.
std::optional<bool> fits_host(const Plan& plan);
std::optional<bool> fits_gpu(const Plan& plan);

}  // namespace lowtide::plan
