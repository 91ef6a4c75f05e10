// Creates and reaps the child processes that take snapshots.
//
// Each one is a direct child of the job. An orphan would be adopted by the nearest subreaper, which may be
// the job itself (PID 1 of a container) or its launcher, and that process would receive a signal and a child
// that it did not create. The child sends no signal when it ends, and wait() without __WALL does not return
// it. So the agent must reap it.

#pragma once

#include <cstdint>

namespace lowtide::agent {

// Like fork(), but does not run fork handlers: some of them stop threads of the job. Returns 0 in the child,
// 1 in the job, and -errno on failure.
long fork_walker();

// Reaps children that have ended. Call this regularly.
void reap_walkers();

// Whether one has not ended yet.
bool has_walkers();

// Waits until all children have ended. Each child has its own time limit.
void await_walkers();

// Kills those that have not ended, and reaps them: nobody will do that later. Waits for half a second at
// most.
void end_walkers();

}  // namespace lowtide::agent
