// Detects seccomp filters that the job installs.
//
// A filter may kill the process for a system call that it does not list, and the agent makes system calls
// that the job does not make. So the agent makes no system call after the job has installed a filter. The job
// calls prctl() or syscall() for that, and hooks_seccomp.cpp intercepts both. A filter that was installed in
// another way is detected in /proc/self/status before the agent creates its memory file.
//
// Filters that the process inherits, as in a container, apply to the monitor too and are not a reason to
// stop.

#pragma once

#include <cstdint>

namespace lowtide::agent {

// `inherited` is the number of filters of the monitor. kUnknownFilters: use the number that this process has
// now.
inline constexpr std::uint64_t kUnknownFilters = ~0ULL;
void expect_filters(std::uint64_t inherited);

// True if the process has more filters than expected. Reads /proc/self/status.
bool has_new_filters();

// Turns the agent off. It makes no more system calls in this process and in its children.
void leave_before_filter();

// True after leave_before_filter() was called.
bool is_behind_filter();

}  // namespace lowtide::agent
