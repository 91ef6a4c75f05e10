// Starts a job, watches it until it ends, and prints the report.
//
// The job is more important than the measurement. Nothing is between it and its streams, and an error while
// watching does not affect it.
#pragma once

#include <string>
#include <vector>

#include "console/exit_code.h"
#include "watch/recording_file.h"
#include "watch/settings.h"

namespace lowtide::watch {

struct WatchedJob {
  int status = 0;  // of the job; 127 or 126 if it could not be started
  console::ExitCode verdict = console::ExitCode::Inconclusive;
  std::string recording = {};    // empty: there is none
  bool was_interrupted = false;  // Ctrl-C on the terminal ended the job
};

WatchedJob run_job(const std::vector<std::string>& command, const Settings& flags);

}  // namespace lowtide::watch
