// One stack from two: the native frames of a thread, and its Python frames.
//
// The interpreter runs Python in a loop, _PyEval_EvalFrameDefault, and that is all
// a native stack shows of it. Each such loop stands for the Python frames up to
// the one that C called (an entry frame); they take its place, and the rest of the
// interpreter's own frames, which nobody can act on, is left out. So is the agent,
// but for the name of the allocator's function that native code called: for a
// `libc.malloc` through ctypes there is no other.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/site.h"
#include "symbols/source_frame.h"

namespace lowtide::observe {

struct PythonCall {
  model::Frame frame;
  bool is_entry = false;
};

// Both from the inside out, and so is the result. `allocator`: the function that was called, where the
// agent's frames do not tell; empty: an allocator of Python's own.
std::vector<model::Frame> join_stacks(std::span<const symbols::SourceFrame> native,
                                      std::span<const PythonCall> python, std::string_view allocator = "");

}  // namespace lowtide::observe
