// Notes that the set of loaded libraries changes.
//
// dlopen looks at its return address to know whose RUNPATH counts, so the real one
// must see the caller's, not ours: it is called as the very last thing, which the
// compiler makes a jump. tests/agent holds it to that.

#include <link.h>

#include "agent/heap/channel.h"
#include "agent/heap/hook.h"
#include "agent/heap/real.h"
#include "agent/heap/thread_state.h"
#include "agent/python/python.h"

extern "C" {

void* hook_dlopen(const char*, int) noexcept LOWTIDE_HOOK(dlopen);
int hook_dlclose(void*) noexcept LOWTIDE_HOOK(dlclose);
}

namespace {

__attribute__((noinline)) void note_change() {
  if (lowtide::agent::t_thread.inside != 0 ||
      lowtide::agent::g_power.load(std::memory_order_relaxed) != lowtide::agent::Power::On) {
    return;
  }
  lowtide::agent::HookScope scope;
  // An embedded Python may have come with an earlier dlopen.
  lowtide::agent::look_for_python();
  if (lowtide::agent::owns_tables()) {
    lowtide::agent::header()->agent.module_changes.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

void* hook_dlopen(const char* path, int flags) noexcept {
  note_change();
  return lowtide::agent::g_real.dlopen(path, flags);
}

int hook_dlclose(void* handle) noexcept {
  note_change();
  return lowtide::agent::g_real.dlclose(handle);
}
