// Whether this process has put itself behind a seccomp filter.
//
// A filter may kill the process at a system call that it does not know, and the agent makes some that the job
// does not. So the agent makes none from the moment at which the job installs a filter. The job does so by
// prctl() or syscall(), which hooks_seccomp.cpp stands in front of; a filter that was installed in another
// way is found before the memory file is made, in /proc/self/status.
//
// A filter that is there from the start, as in a container, also holds for the monitor, and is none of ours
// to fear.

#pragma once

#include <cstdint>

namespace lowtide::agent {

// `inherited`: how many filters the monitor has; kUnknownFilters: as many as this process has now.
inline constexpr std::uint64_t kUnknownFilters = ~0ULL;
void expect_filters(std::uint64_t inherited);

// True when the process has more filters than expected. Reads a file.
bool has_new_filters();

// From now on no system call is made, in this process and in its children.
void leave_before_filter();

// True after leave_before_filter().
bool is_behind_filter();

}  // namespace lowtide::agent
