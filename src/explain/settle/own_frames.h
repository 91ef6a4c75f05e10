// Which frame of a mixed stack is the one to act on.
//
// Memory is asked for deep inside an allocator, a tensor library or the
// interpreter, and none of these is where the mistake is. Nor is it main(). What
// the reader can change is the innermost call that is his own: a line of his
// Python code, or a function of a native extension that he wrote.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/site.h"

namespace lowtide::explain {

// An index into `frames` (innermost first); 0 where there are none. Where nothing
// is the user's own, the innermost Python frame, else the innermost that is known.
std::size_t frame_to_act_on(const std::vector<model::Frame>& frames);

// Native code that is not the user's: allocators, libc, the interpreter, what lies
// in a package or a library folder of the system, and the template code of the
// standard library wherever it was compiled into.
bool is_runtime(const model::Frame& native);

// Python code that is the user's: not of an installed package or the standard library.
bool is_own_python(const model::Frame& frame);

// The memory is asked for by native code of the user, or through a bridge that
// calls C from Python (ctypes, cffi): no Python object is behind it.
bool is_native_allocation(const std::vector<model::Frame>& frames, std::size_t act_on);

// The C function that the line to act on called through such a bridge; empty where there is none.
std::string function_behind_bridge(const std::vector<model::Frame>& frames, std::size_t act_on);

}  // namespace lowtide::explain
