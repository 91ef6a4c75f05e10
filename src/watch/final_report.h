// The report on standard error when lowtide stops watching.
#pragma once

#include "console/exit_code.h"
#include "watch/recording_file.h"
#include "watch/settings.h"
#include "watch/watch.h"

namespace lowtide::watch {

// Prints the report and the path of the recording. Returns the exit code of the verdict: that of the
// recording, or that of the latest tick if neither a report nor a gate is wanted.
console::ExitCode print_final_report(const Watch& watch, RecordingFile& file, const Settings& flags);

}  // namespace lowtide::watch
