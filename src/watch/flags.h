// The flags that set how a job is watched: those of `run` and `attach`, and of what lowtide starts of itself.
#pragma once

#include "console/flag.h"
#include "watch/settings.h"

namespace lowtide::watch {

// Of both verbs. A flag of `run` or `attach` is a row here, or in the table of its verb.
console::Flags<Settings> watch_flags();
// For those verbs that end their watching while the job goes on.
console::Flag<Settings> trim_trial_flag();
// For those whose watching a person looks at.
console::Flag<Settings> screen_flag();
console::Flag<Settings> deep_flag();

}  // namespace lowtide::watch
