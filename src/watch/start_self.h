#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace lowtide::watch {

enum class SelfTie {
  Ours,  // a group of its own, since Ctrl-C is for us and we tell it; what it complains of is seen
  Free,  // a session of its own and no stream of ours: whoever waits for the end of our output does not wait
         // for it
};

// Starts this program with other words; they begin with the verb.
base::Result<pid_t> start_self(std::vector<std::string> words, SelfTie tie);

}  // namespace lowtide::watch
