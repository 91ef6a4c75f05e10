#pragma once

#include <sys/types.h>

#include "observe/tree/process_tree.h"

namespace lowtide::watch {

// The process to enter first: the given one, or the largest descendant if that is a wrapper.
pid_t choose_deep_target(observe::ProcessTree& tree, pid_t pid);

}  // namespace lowtide::watch
