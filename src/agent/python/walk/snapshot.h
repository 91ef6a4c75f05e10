// A walk over the Python objects that the monitor has asked for by the memory file.
#pragma once

namespace lowtide::agent {

// With a sample: tells the interpreter, which forks at the next bytecode of its main thread. Nothing
// is done here but to hand over the address of a function.
void walk_if_asked();

}  // namespace lowtide::agent
