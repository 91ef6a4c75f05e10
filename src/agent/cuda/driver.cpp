#include "agent/cuda/driver.h"

#include <link.h>

#include "agent/cuda/driver_report.h"
#include "agent/heap/elf_lookup.h"
#include "agent/heap/loaded_objects.h"
#include "agent/heap/text.h"

namespace lowtide::agent {

constinit DriverFunctions g_driver = {};

namespace {

struct Known {
  std::uintptr_t theirs;
  std::uintptr_t ours;
};

// Filled before `g_begin` is set, and never changed where the driver stays where it is.
constinit Known g_known[kDriverHooks] = {};
constinit std::atomic<std::uintptr_t> g_begin{0};  // of the driver's library; 0: not found yet
constinit std::atomic<std::uintptr_t> g_end{0};
constinit std::atomic<std::uint32_t> g_filling{0};
constinit std::atomic<bool> g_is_late{false};

bool is_driver(const dl_phdr_info& object) {
  return object.dlpi_name != nullptr && contains(object.dlpi_name, "libcuda.so");
}

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

Range range_of(const dl_phdr_info& object) {
  Range range = {~std::uintptr_t{0}, 0};
  for (int at = 0; at < object.dlpi_phnum; ++at) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[at];
    if (segment.p_type == PT_LOAD) {
      const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
      range.begin = begin < range.begin ? begin : range.begin;
      range.end = begin + segment.p_memsz > range.end ? begin + segment.p_memsz : range.end;
    }
  }
  return range;
}

void fill(const dl_phdr_info& object) {
  DriverHook hooks[kDriverHooks];
  list_driver_hooks(hooks);
  for (std::size_t at = 0; at < kDriverHooks; ++at) {
    void* const theirs = find_symbol(object, hooks[at].name);
    __builtin_memcpy(hooks[at].real, &theirs, sizeof(theirs));
    g_known[at] = {reinterpret_cast<std::uintptr_t>(theirs),
                   reinterpret_cast<std::uintptr_t>(hooks[at].ours)};
  }
  void* const context_device = find_symbol(object, "cuCtxGetDevice");
  __builtin_memcpy(&g_driver.context_device, &context_device, sizeof(context_device));
  const Range range = range_of(object);
  g_end.store(range.end, std::memory_order_relaxed);
  g_begin.store(range.begin, std::memory_order_release);
}

int look_for_driver(dl_phdr_info* object, std::size_t /*bytes*/, void* found) {
  if (!is_driver(*object) || !is_within(*object, found)) {
    return 0;
  }
  fill(*object);
  return 1;
}

int look_whether_loaded(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  if (!is_driver(*object)) {
    return 0;
  }
  *static_cast<bool*>(into) = true;
  return 1;
}

bool is_in_driver(std::uintptr_t address) {
  const std::uintptr_t begin = g_begin.load(std::memory_order_acquire);
  return begin != 0 && address >= begin && address < g_end.load(std::memory_order_relaxed);
}

// A driver that was unloaded may come back at another place. Two threads at once: the second one does
// without.
bool find_driver(void* found) {
  if (g_filling.exchange(1, std::memory_order_acquire) != 0) {
    return false;
  }
  visit_objects(look_for_driver, found);
  g_filling.store(0, std::memory_order_release);
  return is_in_driver(reinterpret_cast<std::uintptr_t>(found));
}

}  // namespace

void* driver_stand_in_for(void* found, const char* name) {
  if (found == nullptr || !is_driver_name(name) || g_is_late.load(std::memory_order_relaxed)) {
    return found;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(found);
  if (!is_in_driver(address) && !find_driver(found)) {
    return found;  // another library's function, whatever its name
  }
  for (const Known& known : g_known) {
    if (known.theirs == address) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
      return reinterpret_cast<void*>(known.ours);
    }
    if (known.ours == address) {
      return found;
    }
  }
  report_unfollowed(name);
  return found;
}

void leave_loaded_driver() {
  bool is_loaded = false;
  visit_objects(look_whether_loaded, &is_loaded);
  if (is_loaded) {
    g_is_late.store(true, std::memory_order_relaxed);
  }
}

wire::DriverState driver_state() {
  if (g_is_late.load(std::memory_order_relaxed)) {
    return wire::DriverState::Late;
  }
  return g_begin.load(std::memory_order_relaxed) != 0 ? wire::DriverState::Followed : wire::DriverState::None;
}

}  // namespace lowtide::agent
