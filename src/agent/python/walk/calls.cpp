#include "agent/python/walk/calls.h"

#include <link.h>

#include "agent/heap/elf_lookup.h"

namespace lowtide::agent {

constinit PythonCalls g_calls = {};

namespace {

template <typename Address>
bool take(const dl_phdr_info& object, const char* name, Address& into) {
  void* found = find_symbol(object, name);
  __builtin_memcpy(&into, &found, sizeof(found));
  return found != nullptr;
}

bool take_functions(const dl_phdr_info& object, PythonCalls& into) {
  return take(object, "PyGILState_Ensure", into.ensure_gil) &&
         take(object, "PyGILState_Release", into.release_gil) &&
         take(object, "PyObject_GetAttrString", into.get_attribute) &&
         take(object, "PyObject_CallFunctionObjArgs", into.call) &&
         take(object, "PyDict_Next", into.next_item) &&
         take(object, "PyImport_GetModuleDict", into.module_dict) &&
         take(object, "PyDict_New", into.new_dict) && take(object, "PyList_New", into.new_list) &&
         take(object, "PyDict_Update", into.update_dict) &&
         take(object, "PyLong_AsLongLong", into.to_number) && take(object, "PyErr_Clear", into.clear_error) &&
         take(object, "Py_DecRef", into.release) && take(object, "PyObject_Repr", into.represent) &&
         take(object, "PyObject_GenericGetDict", into.own_dict) &&
         take(object, "PyInterpreterState_Head", into.first_interpreter) &&
         take(object, "PyInterpreterState_ThreadHead", into.first_thread) &&
         take(object, "PyThreadState_Next", into.next_thread) &&
         take(object, "PyThreadState_GetFrame", into.top_frame) &&
         take(object, "PyFrame_GetBack", into.back_of) && take(object, "PyFrame_GetCode", into.code_of) &&
         take(object, "PyFrame_GetLineNumber", into.line_of);
}

bool take_types(const dl_phdr_info& object, PythonCalls& into) {
  return take(object, "PyType_Type", into.type_type) && take(object, "PyDict_Type", into.dict_type) &&
         take(object, "PyList_Type", into.list_type) && take(object, "PyTuple_Type", into.tuple_type) &&
         take(object, "PySet_Type", into.set_type) && take(object, "PyFrozenSet_Type", into.frozenset_type) &&
         take(object, "PyUnicode_Type", into.text_type) && take(object, "PyBytes_Type", into.bytes_type) &&
         take(object, "PyLong_Type", into.number_type) && take(object, "PyBool_Type", into.bool_type) &&
         take(object, "PyFloat_Type", into.float_type) &&
         take(object, "PyFunction_Type", into.function_type) &&
         take(object, "PyMethod_Type", into.method_type) && take(object, "PyModule_Type", into.module_type) &&
         take(object, "PyCell_Type", into.cell_type) && take(object, "PyBaseObject_Type", into.object_type) &&
         take(object, "PyMethodDescr_Type", into.method_descriptor_type) &&
         take(object, "_Py_NoneStruct", into.none);
}

// The library that python.cpp has found: where its Py_IsInitialized is.
int look_at(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  void* known = nullptr;
  if (!take(*object, "Py_IsInitialized", known) ||
      known != reinterpret_cast<void*>(g_python.functions.is_initialized)) {
    return 0;
  }
  PythonCalls calls = {};
  take(*object, "PyGC_Disable", calls.stop_collector);
  if (take_functions(*object, calls) && take_types(*object, calls)) {
    *static_cast<PythonCalls*>(into) = calls;
  }
  return 1;
}

}  // namespace

bool find_calls() {
  if (g_calls.none == nullptr) {
    dl_iterate_phdr(look_at, &g_calls);
  }
  return g_calls.none != nullptr;
}

}  // namespace lowtide::agent
