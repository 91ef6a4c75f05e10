#include "agent/python/walk/walkers.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "agent/heap/seccomp.h"
#include "agent/heap/system_call.h"
#include "wire/snapshot.h"

namespace lowtide::agent {
namespace {

constexpr std::int32_t kTaken = -1;
constinit std::atomic<std::int32_t> g_walkers[4] = {};
constinit std::atomic<std::uint32_t> g_count{0};

// True if the child has ended, or if this process is a fork of the process that created it.
bool reap(std::int32_t pid, long flags) {
  constexpr long kEveryKind = 0x40000000;  // __WALL: it sends no signal, so a plain wait does not see it
  long result = 0;
  do {
    result = system_call(SYS_wait4, pid, 0, kEveryKind | flags, 0);
  } while (result == -EINTR);
  return result != 0;
}

void reap_each(long flags) {
  if (g_count.load(std::memory_order_relaxed) == 0 || is_behind_filter()) {
    return;
  }
  for (std::atomic<std::int32_t>& walker : g_walkers) {
    std::int32_t pid = walker.load(std::memory_order_relaxed);
    if (pid > 0 && reap(pid, flags) && walker.compare_exchange_strong(pid, 0, std::memory_order_relaxed)) {
      g_count.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace

long fork_walker() {
  reap_walkers();
  for (std::atomic<std::int32_t>& walker : g_walkers) {
    std::int32_t none = 0;
    if (!walker.compare_exchange_strong(none, kTaken, std::memory_order_relaxed)) {
      continue;
    }
    const long child = system_call(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0) {
      // This comes first: the monitor must not count the child as a process of the job.
      system_call(SYS_prctl, PR_SET_NAME, as_word(wire::kWalkerName));
      return 0;
    }
    walker.store(failed(child) ? 0 : static_cast<std::int32_t>(child), std::memory_order_relaxed);
    if (failed(child)) {
      return child;
    }
    g_count.fetch_add(1, std::memory_order_relaxed);
    return 1;
  }
  return -EAGAIN;
}

void reap_walkers() {
  reap_each(WNOHANG);
}

bool has_walkers() {
  reap_walkers();
  return g_count.load(std::memory_order_relaxed) > 0;
}

void await_walkers() {
  reap_each(0);
}

void end_walkers() {
  constexpr int kTries = 500;
  reap_walkers();
  if (g_count.load(std::memory_order_relaxed) == 0 || is_behind_filter()) {
    return;
  }
  for (const std::atomic<std::int32_t>& walker : g_walkers) {
    const std::int32_t pid = walker.load(std::memory_order_relaxed);
    if (pid > 0) {
      system_call(SYS_kill, pid, SIGKILL);
    }
  }
  for (int tries = 0; tries < kTries && g_count.load(std::memory_order_relaxed) > 0; ++tries) {
    const timespec nap{0, 1'000'000};
    system_call(SYS_nanosleep, as_word(&nap), 0);
    reap_walkers();
  }
}

}  // namespace lowtide::agent
