#include "agent/heap/trim_trial.h"

#include <fcntl.h>
#include <sys/auxv.h>

#include <cerrno>

#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/real.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"

namespace lowtide::agent {
namespace {

struct Trial {
  wire::TrialState state = wire::TrialState::NotPossible;
  std::uint64_t rss_before_bytes = 0;
  std::uint64_t rss_after_bytes = 0;
  std::uint64_t trim_ns = 0;
  std::uint64_t inspect_ns = 0;
  AllocatorState allocator = {};
};

// True for one thread of the process.
bool begin_trial() {
  const TableUse use;
  if (!owns_tables() || header()->monitor.asked_trim.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  auto none = static_cast<std::uint32_t>(wire::TrialState::None);
  return header()->trial.state.compare_exchange_strong(
      none, static_cast<std::uint32_t>(wire::TrialState::Running), std::memory_order_acq_rel);
}

// The file is not held meanwhile: a detach need not wait for us.
void end_trial(const Trial& trial) {
  const TableUse use;
  if (!owns_tables()) {
    return;
  }
  wire::TrialPart& into = header()->trial;
  into.rss_before_bytes.store(trial.rss_before_bytes, std::memory_order_relaxed);
  into.rss_after_bytes.store(trial.rss_after_bytes, std::memory_order_relaxed);
  into.trim_ns.store(trial.trim_ns, std::memory_order_relaxed);
  into.inspect_ns.store(trial.inspect_ns, std::memory_order_relaxed);
  into.arena_bytes.store(trial.allocator.arena_bytes, std::memory_order_relaxed);
  into.free_bytes.store(trial.allocator.free_bytes, std::memory_order_relaxed);
  into.mapped_bytes.store(trial.allocator.mapped_bytes, std::memory_order_relaxed);
  into.state.store(static_cast<std::uint32_t>(trial.state), std::memory_order_release);
}

// The second number of statm, in pages; 0: not known.
std::uint64_t read_rss_bytes() {
  const long fd = system_call(SYS_openat, AT_FDCWD, as_word("/proc/self/statm"), O_RDONLY | O_CLOEXEC);
  if (failed(fd)) {
    return 0;
  }
  char text[128] = {};
  const long got = system_call(SYS_read, fd, as_word(text), sizeof(text) - 1);
  system_call(SYS_close, fd);
  const char* at = text;
  while (got > 0 && *at != 0 && *at != ' ') {
    ++at;
  }
  return got > 0 && *at == ' ' ? to_number(at + 1) * getauxval(AT_PAGESZ) : 0;
}

}  // namespace

void try_trim_if_asked() {
  if (!begin_trial()) {
    return;
  }
  Trial trial;
  if (g_real.malloc_trim != nullptr) {
    const int saved_errno = errno;
    if (g_real.mallinfo2 != nullptr) {
      const std::uint64_t began_ns = now_ns();
      trial.allocator = g_real.mallinfo2();
      trial.inspect_ns = now_ns() - began_ns;
    }
    trial.rss_before_bytes = read_rss_bytes();
    const std::uint64_t began_ns = now_ns();
    g_real.malloc_trim(0);
    trial.trim_ns = now_ns() - began_ns;
    trial.rss_after_bytes = read_rss_bytes();
    trial.state = wire::TrialState::Done;
    errno = saved_errno;
  }
  end_trial(trial);
}

}  // namespace lowtide::agent
