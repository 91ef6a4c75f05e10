#pragma once

#include <sys/types.h>

#include "observe/tree/process_tree.h"

namespace lowtide::watch {

// The process that is worth entering first: the one that was named, or below a wrapper the largest.
pid_t choose_deep_target(observe::ProcessTree& tree, pid_t pid);

}  // namespace lowtide::watch
