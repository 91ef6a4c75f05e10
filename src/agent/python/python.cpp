#include "agent/python/python.h"

#include <link.h>

#include "agent/heap/elf_lookup.h"
#include "agent/python/runtime.h"

namespace lowtide::agent {

constinit PythonRuntime g_python = {};
constinit std::atomic<wire::PythonState> g_python_state{wire::PythonState::Absent};

namespace {

template <typename Function>
bool take(const dl_phdr_info& object, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(find_symbol(object, name));
  return into != nullptr;
}

// As 0x030b; 0: not to be read.
std::uint32_t version_of(const dl_phdr_info& object) {
  if (const void* number = find_symbol(object, "Py_Version")) {
    return static_cast<std::uint32_t>(field<unsigned long>(number, 0) >> 16U);
  }
  const char* (*text_of)() = nullptr;
  if (!take(object, "Py_GetVersion", text_of)) {
    return 0;
  }
  const char* text = text_of();  // "3.10.13 (main, ..."; to 3.10 it fills a fixed buffer
  std::uint32_t parts[2] = {0, 0};
  for (std::uint32_t& part : parts) {
    for (; *text >= '0' && *text <= '9'; ++text) {
      part = (part * 10 + static_cast<std::uint32_t>(*text - '0')) & 0xffU;
    }
    text += *text == '.' ? 1 : 0;
  }
  return (parts[0] << 8U) | parts[1];
}

int look_at(dl_phdr_info* object, std::size_t /*bytes*/, void* /*into*/) {
  PythonRuntime python = {};
  PythonFunctions& functions = python.functions;
  if (!take(*object, "Py_IsInitialized", functions.is_initialized)) {
    return 0;
  }
  python.version = version_of(*object);
  const bool has_all = take(*object, "PyGILState_GetThisThreadState", functions.this_thread) &&
                       (take(*object, "PyThreadState_GetUnchecked", functions.attached_thread) ||
                        take(*object, "_PyThreadState_UncheckedGet", functions.attached_thread)) &&
                       take(*object, "PyCode_Addr2Line", functions.address_to_line) &&
                       take(*object, "PyMem_GetAllocator", functions.get_allocator) &&
                       take(*object, "PyMem_SetAllocator", functions.set_allocator);
  take(*object, "PyObject_GetArenaAllocator", functions.get_arenas);
  take(*object, "PyObject_SetArenaAllocator", functions.set_arenas);
  take(*object, "Py_AddPendingCall", functions.add_pending_call);
  functions.code_type = find_symbol(*object, "PyCode_Type");
  const bool known =
      has_all && functions.code_type != nullptr && find_layout(find_symbol(*object, "_PyRuntime"), python);
  g_python = python;
  g_python_state.store(known ? wire::PythonState::Frames : wire::PythonState::UnknownVersion,
                       std::memory_order_release);
  return 1;
}

}  // namespace

void look_for_python() {
  if (g_python_state.load(std::memory_order_relaxed) == wire::PythonState::Absent) {
    dl_iterate_phdr(look_at, nullptr);
  }
}

std::uint32_t python_version() {
  return g_python.version;
}

wire::PythonState python_state() {
  return g_python_state.load(std::memory_order_acquire);
}

bool ask_interpreter(int (*call)(void*)) {
  const wire::PythonState state = python_state();
  const PythonFunctions& functions = g_python.functions;
  return (state == wire::PythonState::Frames || state == wire::PythonState::Full) &&
         functions.add_pending_call != nullptr && functions.is_initialized() != 0 &&
         functions.add_pending_call(call, nullptr) == 0;
}

bool holds_gil() {
  const PythonFunctions& functions = g_python.functions;
  if (functions.is_initialized() == 0) {
    return false;
  }
  const void* attached = functions.attached_thread();
  return attached != nullptr && attached == functions.this_thread();
}

}  // namespace lowtide::agent
