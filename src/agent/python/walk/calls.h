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

// --- fields that have been where they are since 3.8 ----------------------------------------

inline const void* type_of(const void* object) {
  return field<const void*>(object, 8);
}

inline std::int64_t size_of_variable(const void* object) {
  return field<std::int64_t>(object, 16);
}

namespace type_field {
inline constexpr std::size_t kName = 24;
inline constexpr std::size_t kBasicBytes = 32;
inline constexpr std::size_t kItemBytes = 40;
inline constexpr std::size_t kFlags = 168;
inline constexpr std::size_t kTraverse = 184;
inline constexpr std::size_t kMembers = 240;
inline constexpr std::size_t kBase = 256;
inline constexpr std::size_t kDict = 264;
inline constexpr std::size_t kDictOffset = 288;
inline constexpr std::size_t kIsCollected = 328;
}  // namespace type_field

namespace type_flag {
inline constexpr std::uint64_t kHeap = 1ULL << 9U;
inline constexpr std::uint64_t kCollected = 1ULL << 14U;
inline constexpr std::uint64_t kInlineValues = 1ULL << 2U;  // 3.12 on
inline constexpr std::uint64_t kManagedDict = 1ULL << 4U;   // 3.11 on
inline constexpr std::uint64_t kNumber = 1ULL << 24U;
inline constexpr std::uint64_t kList = 1ULL << 25U;
inline constexpr std::uint64_t kTuple = 1ULL << 26U;
inline constexpr std::uint64_t kBytes = 1ULL << 27U;
inline constexpr std::uint64_t kText = 1ULL << 28U;
inline constexpr std::uint64_t kDict = 1ULL << 29U;
inline constexpr std::uint64_t kType = 1ULL << 31U;
}  // namespace type_flag

inline std::uint64_t flags_of_type(const void* type) {
  return field<std::uint64_t>(type, type_field::kFlags);
}

inline bool is_kind(const void* object, std::uint64_t flag) {
  return (flags_of_type(type_of(object)) & flag) != 0;
}

inline bool is_subtype(const void* type, const void* base) {
  for (; type != nullptr; type = field<const void*>(type, type_field::kBase)) {
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
  const std::size_t first = g_python.version >= 0x030e ? 32 : 24;  // 3.14 keeps a hash before the items
  return field<PyObject*>(tuple, first + 8 * static_cast<std::size_t>(at));
}

inline PyObject* mutable_object(const void* object) {
  return reinterpret_cast<PyObject*>(const_cast<void*>(object));
}

}  // namespace lowtide::agent
