#pragma once

#include "cli/syntax/command.h"

namespace lowtide::cli {

Command analyze_command();
Command attach_command();
Command check_command();
Command compare_command();
Command completion_command();
Command doctor_command();
Command plan_command();
Command report_command();
Command run_command();
Command serve_command();
Command snapshot_command();

}  // namespace lowtide::cli
