// How much memory would the allocator return? Tried once, and only if the user has asked
// for it: malloc_trim takes every arena's lock and walks all that is free, 50 to
// 550 ms for a million free chunks, and so does mallinfo2 (docs/design/agent.md).

#pragma once

namespace lowtide::agent {

// Makes the trial if the monitor has asked for it and no other thread has begun. To be
// called by a thread that may call malloc, inside a HookScope, with no lock of the agent held.
void try_trim_if_asked();

}  // namespace lowtide::agent
