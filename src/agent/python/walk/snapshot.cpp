// Takes a snapshot of the Python objects: stops the interpreter for as long as a fork takes, and
// walks in the child (walkers.h).
//
// In a process that we were started with, the interpreter itself comes to us, by a pending call: no thread,
// no ptrace. In one that is entered late a thread of the agent takes the GIL.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"
#include "agent/python/marks.h"
#include "agent/python/python.h"
#include "agent/python/walk/autograd.h"
#include "agent/python/walk/calls.h"
#include "agent/python/walk/census.h"
#include "agent/python/walk/snapshot.h"
#include "agent/python/walk/walkers.h"
#include "wire/snapshot.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMaxOrderBytes = 256;

struct Order {
  WalkOrder walk;
  char text[kMaxOrderBytes];
};

// Cuts the order into lines.
bool read_order(const char* from, Order& into) {
  std::size_t at = 0;
  std::size_t line = 0;
  unsigned long* numbers[] = {&into.walk.wait_ms, &into.walk.walk_ms, &into.walk.memory_mb};
  const char* begin = into.text;
  for (; at < kMaxOrderBytes; ++at) {
    into.text[at] = from[at] == '\n' ? 0 : from[at];
    if (into.text[at] != 0) {
      continue;
    }
    if (line == 0) {
      into.walk.socket_path = begin;
    } else if (line <= 3) {
      *numbers[line - 1] = to_number(begin);
    }
    ++line;
    begin = into.text + at + 1;
    if (from[at] == 0) {
      return line == 4;
    }
  }
  return false;
}

// --- the child --------------------------------------------------------------------------------

void write_text(const char* path, const char* text, long bytes) {
  const long fd = system_call(SYS_openat, AT_FDCWD, as_word(path), O_WRONLY | O_CLOEXEC);
  if (!failed(fd)) {
    system_call(SYS_write, fd, as_word(text), bytes);
    system_call(SYS_close, fd);
  }
}

void forget_signals() {
  struct KernelAction {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  };
  const KernelAction usual = {};
  for (long signal = 1; signal <= 64; ++signal) {
    system_call(SYS_rt_sigaction, signal, as_word(&usual), 0, sizeof(usual.mask));
  }
  const std::uint64_t none = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_word(&none), 0, sizeof(none));
}

// A process that waits for the end of the job's pipes must not wait for the child.
void close_everything() {
#ifdef SYS_close_range
  if (!failed(system_call(SYS_close_range, 0, ~0U, 0))) {
    return;
  }
#endif
  constexpr long kMostDescriptors = 65536;
  for (long fd = 0; fd < kMostDescriptors; ++fd) {
    system_call(SYS_close, fd);
  }
}

[[noreturn]] void live_as_child(const WalkOrder& order) {
  g_power.store(Power::Off, std::memory_order_relaxed);
  stay_inside();
  forget_signals();
  const itimerval limit = {
      {0, 0},
      {static_cast<time_t>(order.walk_ms / 1000), static_cast<suseconds_t>(order.walk_ms % 1000 * 1000)}};
  system_call(SYS_setitimer, ITIMER_REAL, as_word(&limit), 0);
  const rlimit no_core = {0, 0};
  system_call(SYS_prlimit64, 0, RLIMIT_CORE, as_word(&no_core), 0);
  close_everything();
  constexpr long kPolite = 10;
  system_call(SYS_setpriority, PRIO_PROCESS, 0, kPolite);
  write_text("/proc/self/oom_score_adj", "1000", 4);
  take_census(order);
  for (;;) {
    system_call(SYS_exit_group, 0);
  }
}

// --- the job ----------------------------------------------------------------------------------

std::int32_t to_number(wire::SnapshotResult result) {
  return static_cast<std::int32_t>(result);
}

// What stands in the way, or nothing. Takes the loader's lock.
bool can_walk(std::int32_t& why_not) {
  look_for_python();
  const wire::PythonState state = python_state();
  if (state == wire::PythonState::Absent) {
    why_not = to_number(wire::SnapshotResult::NoPython);
  } else if (state == wire::PythonState::UnknownVersion) {
    why_not = to_number(g_python.free_threaded ? wire::SnapshotResult::FreeThreaded
                                               : wire::SnapshotResult::UnknownPython);
  } else if (!find_calls()) {
    why_not = to_number(wire::SnapshotResult::NoFunctions);
  } else if (g_python.functions.is_initialized() == 0) {
    why_not = to_number(wire::SnapshotResult::NotInitialized);
  } else {
    find_torch();
    return true;
  }
  return false;
}

constinit std::atomic<std::uint64_t> g_forked_ns{0};

// Of this thread, on a processor.
std::uint64_t thread_ns() {
  timespec used = {};
  system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, as_word(&used));
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

void tell_fork(std::uint64_t used_ns) {
  const TableUse use;
  if (owns_tables()) {
    header()->walk.fork_us.store(static_cast<std::uint32_t>(used_ns / 1000), std::memory_order_relaxed);
  }
}

// With the GIL. The pause in microseconds, or a SnapshotResult.
std::int32_t fork_and_let_walk(const WalkOrder& order) {
  const std::uint64_t began_ns = now_ns();
  g_forked_ns.store(began_ns, std::memory_order_relaxed);
  const std::uint64_t all = ~0ULL;
  std::uint64_t before = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_word(&all), as_word(&before), sizeof(all));
  const std::uint64_t used_before_ns = thread_ns();
  const long made = fork_walker();
  if (made == 0) {
    live_as_child(order);
  }
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_word(&before), 0, sizeof(before));
  const std::uint64_t pause_us = (now_ns() - began_ns) / 1000;
  tell_fork(thread_ns() - used_before_ns);
  if (failed(made)) {
    return to_number(wire::SnapshotResult::NoFork);
  }
  return static_cast<std::int32_t>(pause_us < 0x7fffffff ? pause_us : 0x7fffffff);
}

std::int32_t take_snapshot(const char* text) {
  Order order = {};
  std::int32_t result = to_number(wire::SnapshotResult::NoFork);
  if (!read_order(text, order) || !can_walk(result)) {
    return result;
  }
  order.walk.target_pid = own_pid();
  const std::uint64_t asked_ns = now_ns();
  const int state = g_calls.ensure_gil();
  if (now_ns() - asked_ns > order.walk.wait_ms * 1'000'000ULL) {
    result = to_number(wire::SnapshotResult::Busy);  // nobody waits any more
  } else {
    result = fork_and_let_walk(order.walk);
  }
  g_calls.release_gil(state);
  return result;
}

constexpr unsigned long kMemoryMb = 4096;

WalkOrder usual_order() {
  constexpr unsigned long kWalkMs = 60'000;
  return {monitor_path(), 0, kWalkMs, kMemoryMb, own_pid(), false, 0, 0, false};
}

// The job is gone while its child walks, and its memory is not: for so long at most. The monitor takes in the
// orphans of the process that it started. The orphan of another one may come to a launcher that never made
// it: that one waits.
bool is_left_to_monitor() {
  return system_call(SYS_getppid) == monitor_pid();
}

WalkOrder order_at_end() {
  const unsigned long walk_ms = is_left_to_monitor() ? 10'000 : 3'000;
  return {monitor_path(), 0, walk_ms, kMemoryMb, own_pid(), true, 0, 0, false};
}

void tell_result(std::int32_t result) {
  const TableUse use;
  if (owns_tables()) {
    header()->walk.result.store(result, std::memory_order_release);
  }
}

// What torch or JAX had at this moment: the script has just read it.
void add_cuda(WalkOrder& order) {
  const TableUse use;
  if (!owns_tables()) {
    return;
  }
  const wire::MarksPart& marks = header()->marks;
  const std::uint32_t devices = marks.devices.load(std::memory_order_relaxed);
  for (std::uint32_t at = 0; at < devices && at < wire::kMaxDevices; ++at) {
    const wire::DevicePart& device = marks.device_parts[at];
    order.is_jax_on_gpu = order.is_jax_on_gpu || device.framework.load(std::memory_order_relaxed) ==
                                                     static_cast<std::uint64_t>(wire::Framework::Jax);
    order.cuda_allocated_bytes += device.allocated_bytes.load(std::memory_order_relaxed);
    order.cuda_reserved_bytes += device.reserved_bytes.load(std::memory_order_relaxed);
  }
}

// A pause, or a SnapshotResult.
std::int32_t walk_if_possible(WalkOrder order) {
  std::int32_t result = 0;
  if (can_walk(result)) {
    add_cuda(order);
    tell_result(to_number(wire::SnapshotResult::Underway));
    result = fork_and_let_walk(order);
  }
  return result;
}

// Between two bytecodes of the main thread, which holds no lock of an allocator or of the loader there.
int walk_now(void* /*unused*/) {
  const bool is_interrupted = !prepare_snapshot();
  const HookScope scope;
  std::uint32_t asked = 0;
  bool is_late = false;
  {
    const TableUse use;
    if (!owns_tables()) {
      return is_interrupted ? -1 : 0;
    }
    asked = header()->walk.taken_up.load(std::memory_order_relaxed);
    is_late = now_ns() > header()->monitor.walk_before_ns.load(std::memory_order_relaxed);
  }
  const std::int32_t result =
      is_late || is_interrupted ? to_number(wire::SnapshotResult::Busy) : walk_if_possible(usual_order());
  const TableUse use;
  if (owns_tables()) {
    header()->walk.result.store(result, std::memory_order_relaxed);
    header()->walk.done.store(asked, std::memory_order_release);
  }
  return is_interrupted ? -1 : 0;
}

// Not right after another one, which may be under way and shows the same.
void walk_unasked(wire::UnsolicitedSnapshot which, const WalkOrder& order) {
  constexpr std::uint64_t kLeastGapNs = 1'000'000'000;
  const HookScope scope;
  {
    const TableUse use;
    if (!owns_tables() || (header()->monitor.allowed_unsolicited.load(std::memory_order_relaxed) &
                           static_cast<std::uint32_t>(which)) == 0) {
      return;
    }
  }
  const std::uint64_t at_ns = now_ns();
  if (may_record(at_ns) && at_ns - g_forked_ns.load(std::memory_order_relaxed) >= kLeastGapNs) {
    tell_result(walk_if_possible(order));
  }
}

}  // namespace

void walk_out_of_memory() {
  // A job that catches the error and tries again has many of them.
  constexpr std::uint64_t kEveryNs = 60'000'000'000;
  constinit static std::atomic<std::uint64_t> next_ns{0};
  const std::uint64_t at_ns = now_ns();
  std::uint64_t after_ns = next_ns.load(std::memory_order_relaxed);
  if (at_ns < after_ns ||
      !next_ns.compare_exchange_strong(after_ns, at_ns + kEveryNs, std::memory_order_relaxed)) {
    return;
  }
  if (!has_walkers()) {
    walk_unasked(wire::UnsolicitedSnapshot::OutOfMemory, usual_order());
  }
}

void walk_at_end() {
  // Once for each process: its end may be reported twice.
  constinit static std::atomic<std::uint64_t> ended_in{0};
  const std::uint64_t now = epoch() + 1ULL;
  if (ended_in.exchange(now, std::memory_order_relaxed) != now) {
    walk_unasked(wire::UnsolicitedSnapshot::AtEnd, order_at_end());
    if (!is_left_to_monitor()) {
      await_walkers();
    }
  }
}

void walk_if_asked() {
  reap_walkers();
  const TableUse use;
  if (!owns_tables()) {
    return;
  }
  const std::uint32_t asked = header()->monitor.asked_walk.load(std::memory_order_relaxed);
  std::uint32_t taken_up = header()->walk.taken_up.load(std::memory_order_relaxed);
  if (asked == taken_up ||
      !header()->walk.taken_up.compare_exchange_strong(taken_up, asked, std::memory_order_acq_rel)) {
    return;
  }
  if (!ask_interpreter(walk_now)) {
    header()->walk.taken_up.store(taken_up, std::memory_order_release);  // at another sample
  }
}

}  // namespace lowtide::agent

// Called by a thread that holds no lock of an allocator or of the loader.
extern "C" __attribute__((visibility("default"))) int lowtide_agent_snapshot(const char* order) {
  const lowtide::agent::HookScope scope;
  return lowtide::agent::take_snapshot(order);
}

// Called after the walk, where no sample may come that would do it; or by a thread that may wait.
extern "C" __attribute__((visibility("default"))) int lowtide_agent_reap(const char* order) {
  const lowtide::agent::HookScope scope;
  if (lowtide::agent::equal(order, lowtide::wire::kWaitAndReap)) {
    lowtide::agent::await_walkers();
  } else {
    lowtide::agent::reap_walkers();
  }
  return 0;
}
