// A program that asks the loader for libc's malloc gets the function of the agent.
//
// dlsym with libc's handle (ctypes.CDLL("libc.so.6").malloc) gives libc's function, past
// us. Ours does the same and is seen, so it is given instead. Only for libc's, and only
// where ours passes on to exactly that function: a block must go back where it came from.

#pragma once

namespace lowtide::agent {

// Looks up what libc has; called once the real functions are known. May be called often.
void find_stand_ins();

// On from the first call of all, even before our constructor: who was given libc's free
// early and our malloc later would free sampled blocks past us. For the same reason it
// stays on when the agent goes off; it is off where the agent was never wanted.
void stand_in(bool wanted);

// Ours for libc's; everything else as it is, null too.
void* stand_in_for(void* found);

}  // namespace lowtide::agent
