// Starts the job as if lowtide were not there.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace lowtide::watch {

// Stores the signal settings that lowtide changes for itself. Call it first in main(). The child restores
// them before exec, so that the job inherits the original ones.
void remember_signals();

// Where the job's standard streams lead; -1 leaves them alone.
struct JobStreams {
  int input = -1;
  int output = -1;
  int error = -1;
};

// The job runs in lowtide's process group and session, with its standard streams, so that a terminal treats
// both alike. Call it before any thread is started. Gone: no such command; Denied: it cannot be executed.
// `settings`, as NAME=VALUE, replace those of the same name in its environment.
base::Result<pid_t> start_job(const std::vector<std::string>& command, const JobStreams& streams = {},
                              const std::vector<std::string>& settings = {});

// As in a shell: the exit code, or 128 + n for signal n.
int exit_status_of(int wait_status);

}  // namespace lowtide::watch
