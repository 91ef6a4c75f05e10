// Starts a job, watches it to its end and tells what was seen.
//
// The job comes first. It is started before anything is set up for watching it,
// nothing stands between it and its streams, and whatever goes wrong with the
// watching costs it nothing.
#pragma once

#include <string>
#include <vector>

#include "console/exit_code.h"
#include "watch/recording_file.h"
#include "watch/settings.h"

namespace lowtide::watch {

struct WatchedJob {
  int status = 0;  // the job's own; 127 or 126 where it could not be started
  console::ExitCode verdict = console::ExitCode::Inconclusive;
  std::string recording = {};    // empty: there is none
  bool was_interrupted = false;  // from the terminal, and died of it
};

WatchedJob run_job(const std::vector<std::string>& command, const Settings& flags);

}  // namespace lowtide::watch
