// What is said on standard error when the watching is over.
#pragma once

#include "console/exit_code.h"
#include "watch/recording_file.h"
#include "watch/settings.h"
#include "watch/watch.h"

namespace lowtide::watch {

// The findings of the recording and where it is; the code of its verdict. That is
// the one of the latest tick where neither a report nor a gate was asked for.
console::ExitCode print_final_report(const Watch& watch, RecordingFile& file, const Settings& flags);

}  // namespace lowtide::watch
