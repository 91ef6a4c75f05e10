#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "watch/settings.h"

namespace lowtide::watch {

enum class SelfTie {
  Ours,  // a group of its own, since Ctrl-C is for us and we tell it; what it complains of is seen
  Free,  // a session of its own and no stream of ours: whoever waits for the end of our output does not wait
         // for it
};

// Starts `lowtide attach` of a process, with the flags that make these settings.
base::Result<pid_t> start_attach(pid_t target, const Settings& settings, SelfTie tie);

}  // namespace lowtide::watch
