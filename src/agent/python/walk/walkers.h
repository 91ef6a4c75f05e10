// The children that walk: made, and reaped.
//
// A child of the job's own, and not of whoever takes in orphans: that may be the job itself (as pid 1 of a
// container, or as a subreaper) or its launcher, which would get a signal and a process that it never made.
// It sends no signal when it ends, and a wait() without __WALL does not see it. So it is ours to reap.

#pragma once

#include <cstdint>

namespace lowtide::agent {

// As fork() does, but fork handlers of the job's libraries are not run: some stop threads of the job. 0 in
// the child, 1 in the job, -errno where there is no child.
long fork_walker();

// Reaps children that have ended. To be called from time to time.
void reap_walkers();

// Waits until all have ended. They have a time limit of their own.
void await_walkers();

}  // namespace lowtide::agent
