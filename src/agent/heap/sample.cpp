#include "agent/heap/sample.h"

#include <limits>

#include "agent/heap/arithmetic.h"
#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/mappings.h"
#include "agent/heap/pace.h"
#include "agent/heap/registers.h"
#include "agent/heap/sample_record.h"
#include "agent/heap/trim_trial.h"
#include "agent/python/marks.h"
#include "agent/python/python.h"
#include "agent/python/walk/snapshot.h"

namespace lowtide::agent {

thread_local constinit ThreadState t_thread = {};

namespace {

constexpr std::uint64_t kStayedOut = std::numeric_limits<std::uint64_t>::max();

void stay_out(ThreadState& thread) {
  constexpr std::uint64_t kLookAgainBytes = 8 << 20;  // somebody may attach
  thread.mean_bytes = kStayedOut;
  thread.bytes_left = kLookAgainBytes;
  thread.bytes_after = 0;
}

void count_from(ThreadState& thread, std::uint64_t bytes) {
  const std::uint64_t most = thread.mean_bytes - 1;
  thread.bytes_left = bytes < most ? bytes : most;
  thread.bytes_after = bytes - thread.bytes_left;
}

void draw(ThreadState& thread) {
  thread.mean_bytes = g_pace.mean_bytes();
  count_from(thread, draw_bytes(thread.random, thread.mean_bytes));
}

void begin_thread(ThreadState& thread) {
  thread.random =
      (reinterpret_cast<std::uintptr_t>(&thread) ^ (now_ns() << 16U)) * 0x9e3779b97f4a7c15ULL | 1U;
  draw(thread);
}

// True: a sample is due. False: there were more bytes to go, and these are counted.
bool uses_up(ThreadState& thread, std::uint64_t bytes) {
  const std::uint64_t left = thread.bytes_left + thread.bytes_after;
  if (bytes > left) {
    return true;
  }
  count_from(thread, left - bytes);
  return false;
}

// Decides, and draws again; 0: no sample after all. The bytes are not yet counted.
std::uint64_t weigh(ThreadState& thread, std::uint64_t bytes) {
  if (thread.mean_bytes == 0) {
    begin_thread(thread);
  }
  const std::uint64_t weight = weight_of(bytes, thread.mean_bytes);
  if (bytes >= thread.mean_bytes) {
    // Sampled whatever the count says, so it does not count.
    if (thread.mean_bytes != g_pace.mean_bytes()) {
      draw_at_next(thread);  // with the mean that holds now
    }
    return weight;
  }
  if (!uses_up(thread, bytes)) {
    return 0;
  }
  draw(thread);
  return weight;
}

__attribute__((noinline)) void record(const Subject& subject) {
  const TableUse use;
  const std::uint64_t began_ns = now_ns();
  if (!may_record(began_ns)) {
    // Also where another thread has just made the file. Dropped, but sampled.
    if (owns_tables()) {
      header()->agent.samples.fetch_add(1, std::memory_order_relaxed);
      header()->agent.sampled_bytes.fetch_add(subject.weight_bytes, std::memory_order_relaxed);
      count_drop(wire::Drop::NoMonitor, subject.weight_bytes);
    }
    return;
  }
  g_pace.count(began_ns, header()->monitor.most_samples.load(std::memory_order_relaxed));
  poll_python_hooks(subject.source);
  wire::AgentPart& counters = header()->agent;
  counters.samples.fetch_add(1, std::memory_order_relaxed);
  counters.sampled_bytes.fetch_add(subject.weight_bytes, std::memory_order_relaxed);
  counters.mean_bytes.store(g_pace.mean_bytes(), std::memory_order_relaxed);
  if (!write_record(subject, began_ns)) {
    count_drop(wire::Drop::RingFull, subject.weight_bytes);
    g_pace.slow_down(began_ns);
  }
  counters.sampling_ns.fetch_add(now_ns() - began_ns, std::memory_order_relaxed);
}

}  // namespace

void take_sample(void* block, std::size_t bytes, wire::Source source) {
  ThreadState& thread = t_thread;
  const Power power = g_power.load(std::memory_order_relaxed);
  if (power != Power::On || block == nullptr) {
    if (power == Power::Off) {
      release_python_hooks(source);
      stay_out(thread);
    } else {
      draw_at_next(thread);
    }
    return;
  }
  if (thread.mean_bytes == kStayedOut) {
    draw_at_next(thread);
  }
  const std::uint64_t weight = weigh(thread, bytes);
  if (weight == 0) {
    return;
  }
  HookScope scope;
  Subject subject = {reinterpret_cast<std::uintptr_t>(block), bytes, weight, source, 0, {}};
  read_registers(subject.registers);
  record(subject);
  walk_if_asked();
  mark_if_asked();
  // This thread has just been in an allocator and out again, so it may go there once more. Not
  // so for mmap, which may be called under an allocator's lock.
  if (source != wire::Source::Mmap) {
    try_trim_if_asked();
  }
}

bool is_sample_due(std::size_t bytes, wire::Source source) {
  ThreadState& thread = t_thread;
  if (thread.inside != 0) {
    return false;
  }
  if (g_power.load(std::memory_order_relaxed) != Power::On) {
    take_sample(nullptr, bytes, source);  // which takes none, and does what is to be done then
    return false;
  }
  if (thread.mean_bytes == 0 || thread.mean_bytes == kStayedOut) {
    begin_thread(thread);
  }
  return uses_up(thread, bytes);
}

// A mapping that was cut is a new one: what is left of it, at this place of the program.
__attribute__((noinline)) void forget_pages(const void* begin, std::size_t bytes) {
  const TableUse use;
  if (g_mappings.empty() || bytes == 0 || !owns_tables()) {
    return;
  }
  HookScope scope;
  constexpr std::uintptr_t kPageMask = 4095;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  Remains remains;
  g_mappings.remove(first, (first + bytes + kPageMask) & ~kPageMask, remains);
  for (std::uint32_t at = 0; at < remains.count; ++at) {
    const Mapping& part = remains.parts[at];
    Subject subject = {part.begin, part.end - part.begin, part.weight_bytes, part.source, 0, {}};
    read_registers(subject.registers);
    record(subject);
  }
}

// An empty slot has the address 0: free(nullptr) must not find one.
void forget_sampled(void* block) {
  if (block == nullptr || !is_likely_sampled(block)) {
    return;
  }
  const TableUse use;
  if (!owns_tables()) {
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  if (const Detached slot = g_live.detach(address)) {
    LiveTable::finish(slot, address);
    header()->agent.frees.fetch_add(1, std::memory_order_relaxed);
  }
}

Moving::Moving(void* block) : address_(reinterpret_cast<std::uintptr_t>(block)) {
  if (block == nullptr || !may_be_sampled(block) || !is_likely_sampled(block)) {
    return;
  }
  const TableUse use;
  if (owns_tables()) {
    slot_ = g_live.detach(address_);
    epoch_ = epoch();
  }
}

void Moving::succeeded() {
  if (!slot_) {
    return;
  }
  const TableUse use;
  if (owns_tables() && epoch() == epoch_) {
    LiveTable::finish(slot_, address_);
    header()->agent.frees.fetch_add(1, std::memory_order_relaxed);
  }
}

void Moving::failed() {
  if (!slot_) {
    return;
  }
  const TableUse use;
  if (owns_tables() && epoch() == epoch_) {
    g_live.put_back(slot_, address_);
  }
}

}  // namespace lowtide::agent
