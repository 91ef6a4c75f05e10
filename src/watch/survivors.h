// A job whose first process has ended while others of it go on: a daemon, a
// script that started something in the background.
#pragma once

#include "watch/recording_file.h"
#include "watch/settings.h"
#include "watch/watch.h"

namespace lowtide::watch {

// A shell would have its prompt back now, so we do not wait. Another lowtide
// watches the largest of those that go on, in the background, to a recording of
// its own; this says so on standard error.
void follow_survivors(const Watch& watch, const RecordingFile& file, const Settings& flags);

}  // namespace lowtide::watch
