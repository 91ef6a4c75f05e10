// The functions and types of CPython that the walk needs, found by name when a snapshot is asked for.
//
// They are called in the child alone, where Python's memory is ours (child_memory.h), its
// collector is off and nobody else runs. None of them runs Python code: the interpreter's loop
// would hand the GIL to threads that are not there.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/runtime.h"

namespace lowtide::agent {

struct PyObject;  // never looked into but by offset

struct PythonCalls {
  int (*ensure_gil)();
  void (*release_gil)(int state);

  PyObject* (*get_attribute)(PyObject*, const char* name);
  PyObject* (*call)(PyObject* function, ...);  // PyObject_CallFunctionObjArgs: ends with a null pointer
  int (*next_item)(PyObject* dict, std::ptrdiff_t* position, PyObject** key, PyObject** value);
  PyObject* (*module_dict)();
  PyObject* (*new_dict)();
  PyObject* (*new_list)(std::ptrdiff_t length);
  int (*update_dict)(PyObject* dict, PyObject* mapping);
  long long (*to_number)(PyObject*);
  PyObject* (*represent)(PyObject*);  // repr()
  void (*clear_error)();
  void (*release)(PyObject*);               // Py_DecRef
  void (*stop_collector)();                 // from 3.10 on; may be missing
  PyObject* (*own_dict)(PyObject*, void*);  // PyObject_GenericGetDict

  void* (*first_interpreter)();
  void* (*first_thread)(void* interpreter);
  void* (*next_thread)(void* thread);
  PyObject* (*top_frame)(void* thread);
  PyObject* (*back_of)(PyObject* frame);
  PyObject* (*code_of)(PyObject* frame);
  int (*line_of)(PyObject* frame);

  const void* type_type;
  const void* dict_type;
  const void* list_type;
  const void* tuple_type;
  const void* set_type;
  const void* frozenset_type;
  const void* text_type;
  const void* bytes_type;
  const void* number_type;
  const void* bool_type;
  const void* float_type;
  const void* function_type;
  const void* method_type;
  const void* module_type;
  const void* cell_type;
  const void* object_type;
  const void* method_descriptor_type;
  const void* none;
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit PythonCalls g_calls;

// False where one is missing. Takes the loader's lock.
bool find_calls();

namespace type_flag = wire::type_flag;

inline const void* type_of(const void* object) {
  return field<const void*>(object, wire::kObjectType);
}

inline std::int64_t size_of_variable(const void* object) {
  return field<std::int64_t>(object, wire::kObjectItems);
}

inline std::uint64_t flags_of_type(const void* type) {
  return field<std::uint64_t>(type, g_python.layout.type_flags);
}

inline bool is_kind(const void* object, std::uint64_t flag) {
  return (flags_of_type(type_of(object)) & flag) != 0;
}

inline const void* base_of(const void* type) {
  return field<const void*>(type, g_python.layout.type_base);
}

inline const char* name_of_type(const void* type) {
  return field<const char*>(type, g_python.layout.type_name);
}

inline bool is_subtype(const void* type, const void* base) {
  for (; type != nullptr; type = base_of(type)) {
    if (type == base) {
      return true;
    }
  }
  return false;
}

// An attribute that is there, or null; never an exception that stays.
inline PyObject* attribute(PyObject* object, const char* name) {
  PyObject* found = object == nullptr ? nullptr : g_calls.get_attribute(object, name);
  if (found == nullptr) {
    g_calls.clear_error();
  }
  return found;
}

struct Entry {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
};

// The first entry of a dict that `is_wanted`; an empty one where there is none, or no dict.
template <typename IsWanted>
Entry find_entry(PyObject* dict, IsWanted is_wanted) {
  Entry entry;
  std::ptrdiff_t position = 0;
  while (dict != nullptr && is_kind(dict, type_flag::kDict) &&
         g_calls.next_item(dict, &position, &entry.key, &entry.value) != 0) {
    if (is_wanted(entry)) {
      return entry;
    }
  }
  return {};
}

inline PyObject* tuple_item(const void* tuple, std::int64_t at) {
  return field<PyObject*>(tuple, g_python.layout.tuple_items + 8 * static_cast<std::size_t>(at));
}

// Calls `act(name)` for each attribute that the type, or one it is made of, computes in C (tp_getset), until
// one is true.
template <typename Act>
bool any_getter(const void* type, Act act) {
  for (; type != nullptr; type = base_of(type)) {
    const char* getter = field<const char*>(type, g_python.layout.type_getters);
    for (; getter != nullptr && field<const char*>(getter, 0) != nullptr; getter += wire::kGetterBytes) {
      if (act(field<const char*>(getter, 0))) {
        return true;
      }
    }
  }
  return false;
}

inline PyObject* mutable_object(const void* object) {
  return reinterpret_cast<PyObject*>(const_cast<void*>(object));
}

}  // namespace lowtide::agent
