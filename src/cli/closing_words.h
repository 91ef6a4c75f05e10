// What is said on standard error when the watching is over.
#pragma once

#include "cli/exit_code.h"
#include "cli/recording_file.h"
#include "cli/watch_flags.h"
#include "observe/watch.h"

namespace lowtide::cli {

// The findings of the recording and where it is; the code of its verdict. That is
// the one of the latest tick where neither a report nor a gate was asked for.
ExitCode tell_the_end(const observe::Watch& watch, RecordingFile& file, const WatchFlags& flags);

}  // namespace lowtide::cli
