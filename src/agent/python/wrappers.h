// What stands in front of Python's allocators, and what stood there before.

#pragma once

#include "agent/heap/hook.h"
#include "agent/python/runtime.h"
#include "wire/layout.h"

namespace lowtide::agent {

struct Wrapper {
  PythonAllocator real;
  PythonDomain domain;
  wire::Source source;
};

// NOLINTBEGIN(bugprone-dynamic-static-initializers): constinit
extern constinit Wrapper g_mem LOWTIDE_OWN_DATA;
extern constinit Wrapper g_object LOWTIDE_OWN_DATA;
// NOLINTEND(bugprone-dynamic-static-initializers)

// All four functions of the domain, whatever serves it.
void wrap_all(Wrapper& wrapper);

// Both domains, in the way that costs least. False, and nothing done, where it is not
// pymalloc that serves them.
bool wrap_pymalloc();
bool is_in_front_of_pymalloc(const PythonAllocator& allocator);
void release_arenas();

}  // namespace lowtide::agent
