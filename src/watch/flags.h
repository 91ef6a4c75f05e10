// The flags that set how a job is watched: for `run`, for `attach`, and for the lowtide that lowtide starts
// in the background.
#pragma once

#include "console/flag.h"
#include "watch/settings.h"

namespace lowtide::watch {

// The flags of both commands. A flag of only one of them is a row in its file.
console::Flags<Settings> watch_flags();
// For commands that can stop watching while the job keeps running.
console::Flag<Settings> trim_trial_flag();
// For commands that a person watches.
console::Flag<Settings> screen_flag();
console::Flag<Settings> deep_flag();

}  // namespace lowtide::watch
