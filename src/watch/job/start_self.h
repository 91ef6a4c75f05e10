#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "watch/settings.h"

namespace lowtide::watch {

enum class SelfTie {
  Ours,  // its own process group, because we forward Ctrl-C; its errors go to our standard error
  Free,  // its own session and none of our streams, so that a reader of our output does not wait for it
};

// Starts `lowtide attach PID` with these settings.
base::Result<pid_t> start_attach(pid_t target, const Settings& settings, SelfTie tie);

}  // namespace lowtide::watch
