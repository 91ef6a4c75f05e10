// Where the agent wakes up: our constructor, in a process that was started with us
// preloaded; or a function that is called in a process that we were put into later.

#include <link.h>
#include <sys/auxv.h>

#include <initializer_list>

#include "agent/cuda/driver.h"
#include "agent/cuda/driver_blocks.h"
#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/elf_lookup.h"
#include "agent/heap/loaded_objects.h"
#include "agent/heap/pace.h"
#include "agent/heap/patch.h"
#include "agent/heap/real.h"
#include "agent/heap/seccomp.h"
#include "agent/heap/stand_in.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"
#include "agent/python/python.h"
#include "agent/python/walk/walkers.h"
#include "wire/layout.h"
#include "wire/start.h"

extern "C" {
extern char** environ;  // NOLINT(readability-redundant-declaration): not in every libc's unistd.h
// NOLINTNEXTLINE(readability-identifier-naming): glibc's name
__attribute__((weak)) const char* gnu_get_libc_version();
}

namespace lowtide::agent {
namespace {

constinit bool g_resolved = false;

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
  std::uint64_t filters = kUnknownFilters;
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
    } else if (const char* filters = value_of(*environment, wire::kFiltersVariable)) {
      settings.filters = to_number(filters);
    }
  }
  return settings;
}

// Someone may be watched, may not want to be, or may be watched from now on.
wire::StartResult start_late(const char* socket_path) {
  if (g_power.load(std::memory_order_acquire) == Power::On && is_answered_elsewhere(socket_path)) {
    return wire::StartResult::AlreadyWatched;
  }
  if (!g_resolved) {
    resolve_real();
    g_resolved = true;
  }
  auto reason = wire::OffReason::None;
  visit_objects(look_for_checkers, &reason);
  if (g_real.malloc == nullptr || g_real.free == nullptr) {
    reason = wire::OffReason::NoAllocator;
  }
  if (reason != wire::OffReason::None) {
    decline(socket_path, reason);
    return wire::StartResult::Declined;
  }
  expect_filters(kUnknownFilters);  // the injector has checked them
  leave_loaded_driver();
  g_power.store(Power::Off, std::memory_order_seq_cst);
  if (!resume_channel(socket_path)) {
    return wire::StartResult::Busy;
  }
  // Not on before every slot leads to us: a block that was sampled must not be freed
  // past us.
  g_power.store(Power::Asleep, std::memory_order_seq_cst);
  stand_in(true);
  if (has_own_allocator()) {
    patch_all();
  }
  look_for_python();
  g_power.store(Power::On, std::memory_order_seq_cst);
  // Another thread's first sample may be opening the file just now, or the monitor's
  // queue may be full for a moment.
  constexpr int kTries = 500;
  for (int tries = 0; tries < kTries && g_power.load(std::memory_order_acquire) == Power::On; ++tries) {
    if (may_record(now_ns()) || owns_tables()) {
      return wire::StartResult::Done;
    }
    const timespec nap{0, 1'000'000};
    system_call(SYS_nanosleep, as_word(&nap), 0);
  }
  g_power.store(Power::Off, std::memory_order_seq_cst);
  unpatch_all();
  return wire::StartResult::NoMonitor;
}

wire::StartResult stop_late() {
  switch_off(wire::OffReason::DetachAsked);
  end_walkers();
  unpatch_all();
  return release_channel() ? wire::StartResult::Done : wire::StartResult::Busy;
}

// musl calls constructors without arguments.
char** find_environment(char** argument) {
  return &gnu_get_libc_version != nullptr ? argument : environ;
}

__attribute__((constructor)) void start(int /*count*/, char** /*arguments*/, char** argument) {
  const Settings settings = read_settings(find_environment(argument));
  if (settings.socket_path == nullptr || *settings.socket_path == 0 || getauxval(AT_SECURE) != 0) {
    g_power.store(Power::Off, std::memory_order_release);
    stand_in(false);
    return;
  }
  HookScope scope;
  resolve_real();
  g_resolved = true;
  expect_filters(settings.filters);
  if (has_new_filters()) {
    leave_before_filter();
    stand_in(false);
    return;
  }
  auto reason = wire::OffReason::None;
  visit_objects(look_for_checkers, &reason);
  if (g_real.malloc == nullptr || g_real.free == nullptr) {
    reason = wire::OffReason::NoAllocator;
  }
  if (reason != wire::OffReason::None) {
    decline(settings.socket_path, reason);
    stand_in(false);
    return;
  }
  look_for_python();
  g_pace.set(settings.mean_bytes, settings.samples_per_second);
  set_driver_pace(settings.samples_per_second);
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

// Called once for each attach and detach, by a thread that holds no lock of an allocator
// or of the loader.
extern "C" __attribute__((visibility("default"))) int lowtide_agent_start(const char* socket_path) {
  const lowtide::agent::HookScope scope;
  return static_cast<int>(lowtide::agent::start_late(socket_path));
}

extern "C" __attribute__((visibility("default"))) int lowtide_agent_stop(const char* /*unused*/) {
  const lowtide::agent::HookScope scope;
  return static_cast<int>(lowtide::agent::stop_late());
}
