// Starts the job as if lowtide were not there.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace lowtide::watch {

// What the job inherits and the monitor changes for itself. Taken before main
// does anything, given back in the child before it calls exec.
void remember_signals();

// Where the job's standard streams lead; -1 leaves them alone.
struct JobStreams {
  int input = -1;
  int output = -1;
  int error = -1;
};

// The job runs in our process group and our session, with our standard streams,
// so that a terminal treats both alike. It must be called before any thread is
// started. Gone: no such command; Denied: it cannot be executed.
// `settings`, as NAME=VALUE, take the place of those of the same name in its environment.
base::Result<pid_t> start_job(const std::vector<std::string>& command, const JobStreams& streams = {},
                              const std::vector<std::string>& settings = {});

// As a shell tells it: the exit code, or 128 + n for signal n.
int exit_status_of(int wait_status);

}  // namespace lowtide::watch
