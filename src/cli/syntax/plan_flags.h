// The training setup, from the command line.
#pragma once

#include <optional>
#include <variant>

#include "console/flag.h"
#include "console/user_error.h"
#include "plan/setup.h"

namespace lowtide::cli {

// What was given, and what the defaults depend on.
struct SetupFlags : plan::JobSetup {
  std::optional<double> given_images = {};
  std::optional<double> given_episodes = {};
};

console::Flags<SetupFlags> setup_flags();

// What was given, checked. The number of parameters may be missing.
std::variant<plan::JobSetup, console::UserError> make_setup(const SetupFlags& flags);

}  // namespace lowtide::cli
