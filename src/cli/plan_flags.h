// The set-up of a job, from the command line.
#pragma once

#include <variant>
#include <vector>

#include "cli/command.h"
#include "console/user_error.h"
#include "model/plan.h"

namespace lowtide::cli {

std::vector<Flag> plan_flags();

// What was told, checked; it may lack the parameters.
std::variant<model::TrainingSetup, console::UserError> parse_setup(const Arguments& arguments);

}  // namespace lowtide::cli
