// What the arrays of JAX look like, without running code of JAX.
//
// Their memory cannot be asked for in a forked child: a lock of JAX may be held there for ever. Shape and
// dtype are in a Python object that each array refers to, and a getter in C returns it.
#pragma once

#include <cstdint>

#include "agent/python/walk/calls.h"

namespace lowtide::agent {

// The type is jaxlib's ArrayImpl.
bool is_jax_array(const void* type);

struct JaxLooks {
  PyObject* shape;  // a tuple
  PyObject* dtype;  // the type of an element: numpy.float32
  std::uint64_t element_bytes;
};

// False: this JAX keeps them in another way.
bool ask_jax_array(PyObject* array, JaxLooks& into);

}  // namespace lowtide::agent
