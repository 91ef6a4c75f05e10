// Starts a job, watches it to its end and tells what was seen.
//
// The job comes first. It is started before anything is set up for watching it,
// nothing stands between it and its streams, and whatever goes wrong with the
// watching costs it nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/recording_file.h"
#include "cli/watch_flags.h"

namespace lowtide::cli {

struct WatchedJob {
  int status = 0;  // the job's own; 127 or 126 where it could not be started
  ExitCode verdict = ExitCode::Inconclusive;
  std::string recording = {};    // empty: there is none
  bool was_interrupted = false;  // from the terminal, and died of it
};

WatchedJob run_job(const std::vector<std::string>& command, const WatchFlags& flags);

}  // namespace lowtide::cli
