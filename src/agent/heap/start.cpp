// Where the agent wakes up: our constructor, in a process that was started with us
// preloaded.

#include <link.h>
#include <sys/auxv.h>

#include "agent/heap/channel.h"
#include "agent/heap/elf_lookup.h"
#include "agent/heap/pace.h"
#include "agent/heap/real.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"
#include "agent/python/python.h"
#include "wire/layout.h"

namespace lowtide::agent {
namespace {

// Tools that bring an allocator of their own and check every call: we only pass on.
int look_for_checkers(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  auto& reason = *static_cast<wire::OffReason*>(into);
  for (const char* name : {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", "__lsan_init"}) {
    if (find_symbol(*object, name) != nullptr) {
      reason = wire::OffReason::Sanitizer;
      return 1;
    }
  }
  if (object->dlpi_name != nullptr && contains(object->dlpi_name, "vgpreload_")) {
    reason = wire::OffReason::Valgrind;
    return 1;
  }
  return 0;
}

struct Settings {
  const char* socket_path = nullptr;
  std::uint64_t mean_bytes = 0;
  std::uint64_t samples_per_second = 0;
};

// The text after NAME= in an entry of the environment; null for another name.
const char* value_of(const char* entry, const char* name) {
  const char* rest = after(entry, name);
  return rest != nullptr && *rest == '=' ? rest + 1 : nullptr;
}

Settings read_settings(char** environment) {
  Settings settings;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (const char* path = value_of(*environment, wire::kSocketVariable)) {
      settings.socket_path = path;
    } else if (const char* mean = value_of(*environment, wire::kMeanVariable)) {
      settings.mean_bytes = to_number(mean);
    } else if (const char* rate = value_of(*environment, wire::kRateVariable)) {
      settings.samples_per_second = to_number(rate);
    }
  }
  return settings;
}

__attribute__((constructor)) void start(int /*count*/, char** /*arguments*/, char** environment) {
  const Settings settings = read_settings(environment);
  if (settings.socket_path == nullptr || *settings.socket_path == 0 || getauxval(AT_SECURE) != 0) {
    g_power.store(Power::Off, std::memory_order_release);
    return;
  }
  HookScope scope;
  resolve_real();
  auto reason = wire::OffReason::None;
  dl_iterate_phdr(look_for_checkers, &reason);
  if (g_real.malloc == nullptr || g_real.free == nullptr) {
    reason = wire::OffReason::NoAllocator;
  }
  if (reason != wire::OffReason::None) {
    decline(settings.socket_path, reason);
    return;
  }
  look_for_python();
  g_pace.set(settings.mean_bytes, settings.samples_per_second);
  start_channel(settings.socket_path);
}

}  // namespace
}  // namespace lowtide::agent

// The address sanitizer ends a program that has a library in front of it, unless the
// program says that it is fine. We pass everything on, so it is. A program that has
// such a function itself is asked first.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer's name
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "verify_asan_link_order=0";
}
