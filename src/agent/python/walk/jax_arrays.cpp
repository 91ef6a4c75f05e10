#include "agent/python/walk/jax_arrays.h"

#include "agent/heap/text.h"

namespace lowtide::agent {
namespace {

bool is_named(const void* type, const char* name) {
  const char* own = name_of_type(type);
  return own != nullptr && equal(own, name);
}

bool descends_from(const void* type, const char* name) {
  for (; type != nullptr; type = base_of(type)) {
    if (is_named(type, name)) {
      return true;
    }
  }
  return false;
}

// The function behind a property, if it is not one in Python.
PyObject* getter_of(const void* type, const char* name) {
  PyObject* const property = attribute(mutable_object(type), name);
  PyObject* const getter =
      property != nullptr && is_named(type_of(property), "property") ? attribute(property, "fget") : nullptr;
  return getter != nullptr && type_of(getter) != g_calls.function_type ? getter : nullptr;
}

// Of an attribute that lies in a slot of the object: no function is run for it.
PyObject* slot_of(PyObject* object, const char* name) {
  PyObject* const descriptor = attribute(mutable_object(type_of(object)), name);
  const bool is_slot = descriptor != nullptr && is_named(type_of(descriptor), "member_descriptor");
  return is_slot ? attribute(object, name) : nullptr;
}

}  // namespace

bool is_jax_array(const void* type) {
  return is_named(type, "jaxlib._jax.ArrayImpl") || is_named(type, "jaxlib.xla_extension.ArrayImpl");
}

bool ask_jax_array(PyObject* array, JaxLooks& into) {
  PyObject* const get = getter_of(type_of(array), "aval");
  PyObject* const description = get == nullptr ? nullptr : g_calls.call(get, array, nullptr);
  if (description == nullptr) {
    g_calls.clear_error();
    return false;
  }
  PyObject* const dtype = slot_of(description, "dtype");
  into.shape = slot_of(description, "shape");
  if (dtype == nullptr || into.shape == nullptr || !is_kind(into.shape, type_flag::kTuple) ||
      !descends_from(type_of(dtype), "numpy.dtype")) {
    return false;  // keys of random numbers have a dtype of JAX's own
  }
  PyObject* const bytes = slot_of(dtype, "itemsize");
  const long long element_bytes = bytes == nullptr ? -1 : g_calls.to_number(bytes);
  into.dtype = attribute(dtype, "type");
  if (element_bytes < 0 || into.dtype == nullptr) {
    g_calls.clear_error();
    return false;
  }
  into.element_bytes = static_cast<std::uint64_t>(element_bytes);
  return true;
}

}  // namespace lowtide::agent
