#include "agent/cuda/driver_report.h"

#include <atomic>
#include <cstddef>

#include "agent/cuda/driver.h"
#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"

namespace lowtide::agent {
namespace {

// Of the whole process and its forked children: they have the same functions.
constinit char g_names[wire::kMaxUnfollowed][wire::kMaxUnfollowedName + 1] = {};
constinit std::atomic<std::uint32_t> g_name_count{0};
constinit std::atomic<std::uint32_t> g_naming{0};

// Of new versions too: cuMemAlloc_v3.
bool changes_memory(const char* name) {
  constexpr const char* kStarts[] = {"cuMemAlloc",
                                     "cuMemFree",
                                     "cuMemCreate",
                                     "cuMemRelease",
                                     "cuMemHostAlloc",
                                     "cuMemHostRegister",
                                     "cuMemHostUnregister",
                                     "cuArrayCreate",
                                     "cuArray3DCreate",
                                     "cuMipmappedArrayCreate",
                                     "cuMemImportFromShareableHandle",
                                     "cuIpcOpenMemHandle",
                                     "cuGraphAddMemAllocNode",
                                     "cuGetProcAddress"};
  for (const char* start : kStarts) {
    if (after(name, start) != nullptr) {
      return true;
    }
  }
  return false;
}

bool is_known(const char* name, std::uint32_t count) {
  for (std::uint32_t at = 0; at < count; ++at) {
    if (equal(g_names[at], name)) {
      return true;
    }
  }
  return false;
}

void keep(const char* name) {
  const std::uint32_t count = g_name_count.load(std::memory_order_acquire);
  if (count >= wire::kMaxUnfollowed || is_known(name, count)) {
    return;
  }
  for (std::uint32_t at = 0; at < wire::kMaxUnfollowedName && name[at] != 0; ++at) {
    g_names[count][at] = name[at];
  }
  g_name_count.store(count + 1, std::memory_order_release);
}

std::atomic<std::uint64_t>& counter(wire::DriverPart& part, DriverCount what) {
  switch (what) {
    case DriverCount::Allocations:
      return part.allocations;
    case DriverCount::Failures:
      return part.failures;
    case DriverCount::Modules:
      return part.modules;
    case DriverCount::Unsized:
      return part.unsized;
    case DriverCount::Imported:
      break;
  }
  return part.imported;
}

// Where the process is observed; then it is published too.
template <typename Change>
void with_part(Change change) {
  if (t_thread.inside != 0 || g_power.load(std::memory_order_relaxed) != Power::On) {
    return;
  }
  const HookScope scope;
  const TableUse use;
  if (!may_record(now_ns()) && !owns_tables()) {
    return;
  }
  change(header()->driver);
  publish_driver(header()->driver);
}

}  // namespace

void publish_driver(wire::DriverPart& part) {
  part.state.store(static_cast<std::uint32_t>(driver_state()), std::memory_order_relaxed);
  const std::uint32_t count = g_name_count.load(std::memory_order_acquire);
  if (part.unfollowed.load(std::memory_order_relaxed) != count) {
    __builtin_memcpy(part.unfollowed_names, g_names, sizeof(g_names));
    part.unfollowed.store(count, std::memory_order_release);
  }
}

void count_driver(DriverCount what, std::int64_t by) {
  with_part([&](wire::DriverPart& part) {
    counter(part, what).fetch_add(static_cast<std::uint64_t>(by), std::memory_order_relaxed);
  });
}

void report_unfollowed(const char* name) {
  if (!changes_memory(name) || g_naming.exchange(1, std::memory_order_acquire) != 0) {
    return;
  }
  keep(name);
  g_naming.store(0, std::memory_order_release);
  with_part([](wire::DriverPart& /*part*/) {});
}

}  // namespace lowtide::agent
