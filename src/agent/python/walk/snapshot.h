// A walk over the Python objects that the monitor has asked for by the memory file.
#pragma once

namespace lowtide::agent {

// With a sample: asks the interpreter, which forks at the next bytecode of its main thread. Nothing
// is done here but to hand over the address of a function.
void walk_if_asked();

// Snapshots without a request, where the monitor allows them: torch has run out of a GPU's
// memory, or the interpreter ends. With the GIL, by a thread that holds no lock of an allocator or of the
// loader.
void walk_out_of_memory();
void walk_at_end();

}  // namespace lowtide::agent
