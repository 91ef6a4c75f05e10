// Notes that the set of loaded libraries changes, and who asks for libc's malloc or for functions of the CUDA
// driver by name.
//
// dlopen looks at its return address to know whose RUNPATH counts, and dlsym to know what
// comes NEXT, so the real one must see the caller's, not ours: it is called as the very
// last thing, which the compiler makes a jump. tests/agent holds it to that. With a handle
// the caller does not count, and the answer can be looked at.
//
// No function of the loader is called here but the one that was asked for: what dlerror
// says afterwards is what it would have said.

#include <link.h>

#include "agent/cuda/driver.h"
#include "agent/heap/channel.h"
#include "agent/heap/patch.h"
#include "agent/heap/real.h"
#include "agent/heap/stand_in.h"
#include "agent/heap/thread_state.h"
#include "agent/python/python.h"

#define LOWTIDE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

__attribute__((noinline)) void note_change() {
  if (lowtide::agent::t_thread.inside != 0 ||
      lowtide::agent::g_power.load(std::memory_order_relaxed) != lowtide::agent::Power::On) {
    return;
  }
  lowtide::agent::HookScope scope;
  lowtide::agent::patch_new();
  const lowtide::agent::TableUse use;
  // An embedded Python may have come with an earlier dlopen.
  lowtide::agent::look_for_python();
  if (lowtide::agent::owns_tables()) {
    lowtide::agent::header()->agent.module_changes.fetch_add(1, std::memory_order_relaxed);
  }
}

// What was loaded can be called from now on.
void look_at_new() {
  if (lowtide::agent::t_thread.inside == 0) {
    lowtide::agent::patch_new();
  }
}

void* replaced(void* found, const char* name) {
  return lowtide::agent::driver_stand_in_for(lowtide::agent::stand_in_for(found), name);
}

bool counts_from_caller(const void* library) {
  return library == RTLD_NEXT || library == RTLD_DEFAULT;
}

}  // namespace

LOWTIDE_EXPORT void* dlopen(const char* path, int flags) noexcept {
  note_change();
  return lowtide::agent::g_real.dlopen(path, flags);
}

LOWTIDE_EXPORT int dlclose(void* handle) noexcept {
  note_change();
  return lowtide::agent::g_real.dlclose(handle);
}

LOWTIDE_EXPORT void* dlsym(void* library, const char* name) noexcept {
  look_at_new();
  if (counts_from_caller(library)) {
    return lowtide::agent::g_real.dlsym(library, name);
  }
  return replaced(lowtide::agent::g_real.dlsym(library, name), name);
}

LOWTIDE_EXPORT void* dlvsym(void* library, const char* name, const char* version) noexcept {
  look_at_new();
  if (counts_from_caller(library)) {
    return lowtide::agent::g_real.dlvsym(library, name, version);
  }
  return replaced(lowtide::agent::g_real.dlvsym(library, name, version), name);
}
