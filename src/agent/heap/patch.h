// Standing in front of the allocator in a process that is running already.
//
// Loaded by dlopen, our malloc comes last and nobody finds it. So the tables through
// which every library calls (GOT) are changed: where such a slot leads to the real
// function, it is made to lead to ours, and back again at the end. Slots are written
// whole, so a thread that calls meanwhile goes either way; both are right, since our
// hooks pass on what was allocated before them.

#pragma once

namespace lowtide::agent {

// In all libraries but ours. Takes the loader's lock: not from a hook that may run under
// another lock.
void patch_all();

// In those that were loaded since. To be called around dlopen and dlsym.
void patch_new();

// Leads every slot back.
void unpatch_all();

}  // namespace lowtide::agent
