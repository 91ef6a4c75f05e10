#pragma once

#include "cli/command.h"

namespace lowtide::cli {

Command analyze_command();
Command completion_command();

}  // namespace lowtide::cli
