#pragma once

#include "console/exit_code.h"
#include "console/user_error.h"

namespace lowtide::cli {

// Prints the error and returns the exit code with which the command ends.
inline console::ExitCode refuse(const console::UserError& user_error,
                                console::ExitCode code = console::ExitCode::Usage) {
  console::print_error(user_error);
  return code;
}

}  // namespace lowtide::cli
