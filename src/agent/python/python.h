// The Python in the target, if there is one: which line is running in this thread,
// and its allocators of small objects, which malloc does not see.
//
// One binary for all versions of wire/cpython.h: functions are found by name at run time, fields
// by their layouts. Nothing here takes the GIL, counts a reference or calls what
// could allocate.

#pragma once

#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

// Innermost first.
struct PythonStack {
  wire::PythonFrame frames[wire::kMaxPythonFrames] = {};
  std::uint32_t count = 0;
  bool cut = false;
  std::uintptr_t anchor = 0;  // an address within the C frame that runs the innermost; 0: not known
};

// Looks among the loaded libraries, until it is found once. Takes the loader's lock:
// only from the constructor and around dlopen.
void look_for_python();

// As 0x030b; 0: there is none.
std::uint32_t python_version();

wire::PythonState python_state();

// Has the main thread call this between two bytecodes, where it holds the GIL and no lock of an allocator or
// of the loader. False: there is no Python that could, or its list is full.
bool ask_interpreter(int (*call)(void*));

// The Python frames of this thread; none where it runs no Python.
void read_python_stack(PythonStack& into);

// Wraps the allocators of small objects once that is safe, and looks now and then
// whether the wrappers are still there. Called with every sample but those of mmap.
void poll_python_hooks(wire::Source source);

// Takes the wrappers out again, when we are off and this call came through one: then
// the thread holds the GIL.
void release_python_hooks(wire::Source source);

}  // namespace lowtide::agent
