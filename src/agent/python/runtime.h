// The functions of the CPython that was found, and where its fields are.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/cpython.h"
#include "wire/layout.h"

namespace lowtide::agent {

// As CPython declares it (Include/cpython/pymem.h); the same since 3.5.
struct PythonAllocator {
  void* context;
  void* (*malloc)(void* context, std::size_t bytes);
  void* (*calloc)(void* context, std::size_t count, std::size_t bytes);
  void* (*realloc)(void* context, void* block, std::size_t bytes);
  void (*free)(void* context, void* block);
};

// Where pymalloc takes the memory that it cuts up; the same since 3.4.
struct PythonArenas {
  void* context;
  void* (*take)(void* context, std::size_t bytes);
  void (*give_back)(void* context, void* arena, std::size_t bytes);
};

enum class PythonDomain : int { Raw = 0, Mem = 1, Object = 2 };

struct PythonFunctions {
  int (*is_initialized)();
  void* (*this_thread)();      // this thread's state, whether it holds the GIL or not
  void* (*attached_thread)();  // the state of who holds the GIL (to 3.11); this thread's if it holds it
                               // (from 3.12)
  int (*address_to_line)(void* code, int byte_offset);
  void (*get_allocator)(PythonDomain, PythonAllocator*);
  void (*set_allocator)(PythonDomain, PythonAllocator*);
  void (*get_arenas)(PythonArenas*);  // may be missing
  void (*set_arenas)(PythonArenas*);
  int (*add_pending_call)(int (*call)(void*), void* argument);  // may be missing
  const void* code_type;
};

struct PythonRuntime {
  PythonFunctions functions;
  wire::PythonLayout layout;
  std::uint32_t version;  // as 0x030b
  bool free_threaded;
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit PythonRuntime g_python;
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit std::atomic<wire::PythonState> g_python_state;

// Fills in the layout of its version; false for one that is not known. `runtime` is
// the address of _PyRuntime, which has a table of its own from 3.13 on.
bool find_layout(const void* runtime, PythonRuntime& into);

template <typename T>
T field(const void* object, std::size_t offset) {
  T value;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer, and is meant to be
  __builtin_memcpy(&value, static_cast<const char*>(object) + offset, sizeof(T));
  return value;
}

// True when this thread holds the GIL of a Python that is up.
bool holds_gil();

}  // namespace lowtide::agent
