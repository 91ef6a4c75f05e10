// Which frame of a mixed stack is the one to act on.
//
// Memory is asked for deep inside an allocator, a tensor library or the
// interpreter, and none of these is where the mistake is. Nor is it main(). What
// the reader can change is the innermost call that is his own: a line of his
// Python code, or a function of a native extension that he wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/evidence/site_evidence.h"
#include "explain/evidence/snapshots.h"
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

// Names that modules of the user's Python code may begin with: the folders and files on the way to it.
OwnModules own_modules(const std::vector<SiteEvidence>& sites);

// A stack goes through an installed Python package of this name.
bool has_installed_package(const std::vector<SiteEvidence>& sites, std::string_view name);

// The memory is asked for by native code of the user, or through a bridge that
// calls C from Python (ctypes, cffi): no Python object is behind it.
bool is_native_allocation(const std::vector<model::Frame>& frames, std::size_t act_on);

// The library whose native code asks for the memory.
struct NativeLibrary {
  std::string name;  // as its package or file is called: "faiss", "libsqlite3"
  std::string file;
};
// Empty where that is only the interpreter, the C or C++ library, or an allocator.
NativeLibrary find_native_library(const std::vector<model::Frame>& frames);

// The C function that the line to act on called through such a bridge; empty where there is none.
std::string function_behind_bridge(const std::vector<model::Frame>& frames, std::size_t act_on);

}  // namespace lowtide::explain
