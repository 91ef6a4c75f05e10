// What a plan is compared with: a recording, a log, or a live process.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/report.h"
#include "plan/tensor_facts.h"

namespace lowtide::cli {

struct PlanSource {
  std::string name;
  std::optional<model::Report> report = {};
  std::optional<plan::ModelTensors> tensors = {};
  std::optional<double> resident_bytes = {};  // of a live process
};

// A number is a pid.
std::variant<PlanSource, console::UserError> read_plan_source(const std::string& from);

}  // namespace lowtide::cli
