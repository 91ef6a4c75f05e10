// A job whose first process has ended while others still run: a daemon, or a script that started something in
// the background.
#pragma once

#include "watch/recording_file.h"
#include "watch/settings.h"
#include "watch/watch.h"

namespace lowtide::watch {

// Without lowtide the shell would show its prompt now, so lowtide does not wait. Another lowtide watches the
// largest of these processes in the background, with its own recording. A warning states this.
void follow_survivors(const Watch& watch, const RecordingFile& file, const Settings& flags);

}  // namespace lowtide::watch
