// The set-up of a job, from the command line.
#pragma once

#include <optional>
#include <variant>

#include "console/flag.h"
#include "console/user_error.h"
#include "model/plan.h"

namespace lowtide::cli {

// What was told of it, and what its defaults depend on.
struct SetupFlags : model::TrainingSetup {
  std::optional<double> given_images = {};
  std::optional<double> given_episodes = {};
};

console::Flags<SetupFlags> setup_flags();

// What was told, checked; it may lack the parameters.
std::variant<model::TrainingSetup, console::UserError> make_setup(const SetupFlags& flags);

}  // namespace lowtide::cli
