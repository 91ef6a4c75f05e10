// The threads of a process, those first that are likely to be at a safe place.

#pragma once

#include <sys/types.h>

#include <vector>

namespace lowtide::attach {

// Threads that wait in a system call come first, the main thread last: signals are
// meant for it most often. Threads that cannot be stopped (D, zombies) are left out.
std::vector<pid_t> find_candidates(pid_t pid);

std::size_t count_threads(pid_t pid);

}  // namespace lowtide::attach
