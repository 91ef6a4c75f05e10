// Watches a job that runs already, to its end or until the user detaches, and prints the report.
#pragma once

#include <sys/types.h>

#include "console/exit_code.h"
#include "watch/settings.h"

namespace lowtide::watch {

console::ExitCode attach_job(pid_t pid, const Settings& settings);

}  // namespace lowtide::watch
