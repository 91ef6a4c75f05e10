#pragma once

#include "cli/command.h"

namespace lowtide::cli {

Command analyze_command();
Command attach_command();
Command completion_command();
Command doctor_command();
Command run_command();

}  // namespace lowtide::cli
