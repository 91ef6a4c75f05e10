// The heap profile of JAX for the present snapshot: the script takes it before the fork, the child that walks
// writes it.
#pragma once

#include <cstdint>

#include "agent/python/walk/calls.h"

namespace lowtide::agent {

struct JaxProfile {
  const char* bytes;  // in the format of pprof
  std::uint32_t size;
};

// Keeps a copy of a bytes object; an empty one, or one that is too large, leaves none. With the GIL.
void keep_jax_profile(PyObject* profile);

JaxProfile jax_profile();

}  // namespace lowtide::agent
