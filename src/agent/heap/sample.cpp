#include "agent/heap/sample.h"

#include <limits>

#include "agent/heap/arithmetic.h"
#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/mappings.h"
#include "agent/heap/memory.h"
#include "agent/heap/pace.h"
#include "agent/heap/registers.h"
#include "agent/heap/ring.h"
#include "agent/heap/system_call.h"
#include "agent/heap/trim_trial.h"
#include "agent/python/marks.h"
#include "agent/python/python.h"
#include "agent/python/walk/snapshot.h"

namespace lowtide::agent {

thread_local constinit ThreadState t_thread = {};

namespace {

constinit std::atomic<std::uint64_t> g_samples{0};
constexpr std::uint64_t kStayedOut = std::numeric_limits<std::uint64_t>::max();

// What a sample is about, and where it was taken.
struct Subject {
  std::uintptr_t address;
  std::uint64_t bytes;
  std::uint64_t weight_bytes;
  wire::Source source;
  std::uint64_t registers[wire::kRegisters];
};

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

// How much of the stack from `sp` up to copy. Not further than a little beyond the C
// frame that runs Python: from there on the Python frames tell more, and it saves most
// of the copy. Page by page, since it may be a coroutine's or a signal's stack, of
// which nobody knows the end.
std::uint32_t readable_stack(std::uintptr_t sp, std::uintptr_t python_anchor) {
  constexpr std::uintptr_t kPageBytes = 4096;
  constexpr std::uintptr_t kBeyondPython = 512;
  std::uintptr_t wanted = sp + wire::kStackBytes;
  if (python_anchor > sp && python_anchor + kBeyondPython < wanted) {
    wanted = (python_anchor + kBeyondPython) & ~std::uintptr_t{7};
  }
  std::uintptr_t end = (sp + kPageBytes) & ~(kPageBytes - 1);  // we stand on this page
  while (end < wanted && is_readable(end)) {
    end += kPageBytes;
  }
  return static_cast<std::uint32_t>((end < wanted ? end : wanted) - sp) & ~7U;
}

bool is_mapped(wire::Source source) {
  return source == wire::Source::Mmap || source == wire::Source::SharedMmap;
}

// The slot in which the sample lives, or kNoSlot.
std::uint64_t keep_alive(const Subject& subject, std::uint64_t sample) {
  const bool is_mapping = is_mapped(subject.source);
  const std::uint64_t slot = g_live.insert(subject.address, sample, !is_mapping);
  if (slot == wire::kNoSlot) {
    count_drop(wire::Drop::TableFull, subject.weight_bytes);
    return slot;
  }
  if (is_mapping && !g_mappings.add({subject.address, subject.address + subject.bytes, slot,
                                     subject.weight_bytes, subject.source})) {
    g_live.clear(slot);
    count_drop(wire::Drop::Mappings, subject.weight_bytes);
    return wire::kNoSlot;
  }
  return slot;
}

bool write_record(const Subject& subject, std::uint64_t began_ns) {
  PythonStack python;
  read_python_stack(python);
  const std::uint32_t stack_bytes = readable_stack(subject.registers[1], python.anchor);
  const std::size_t frame_bytes = python.count * sizeof(wire::PythonFrame);
  const Reserved room = g_ring.reserve(sizeof(wire::AllocationRecord) + frame_bytes + stack_bytes);
  if (!room) {
    return false;
  }
  const std::uint64_t sample = g_samples.fetch_add(1, std::memory_order_relaxed) + 1;
  auto& record = *reinterpret_cast<wire::AllocationRecord*>(room.at);
  record.header.bytes = room.bytes;
  record.header.kind = wire::RecordKind::Allocation;
  record.sample = sample;
  record.time_ns = began_ns;
  record.address = subject.address;
  record.requested_bytes = subject.bytes;
  record.weight_bytes = subject.weight_bytes;
  record.slot = keep_alive(subject, sample);
  record.tid = static_cast<std::int32_t>(system_call(SYS_gettid));
  record.source = subject.source;
  record.phase = static_cast<std::uint8_t>(header()->marks.phase.load(std::memory_order_relaxed));
  record.python_frames = static_cast<std::uint16_t>(python.count);
  record.python_cut = python.cut ? 1 : 0;
  record.stack_bytes = stack_bytes;
  copy_bytes(record.registers, subject.registers, sizeof(record.registers));
  char* after = room.at + sizeof(record);
  copy_bytes(after, python.frames, frame_bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  copy_bytes(after + frame_bytes, reinterpret_cast<const void*>(subject.registers[1]), stack_bytes);
  Ring::commit(room);
  return true;
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
  Subject subject = {reinterpret_cast<std::uintptr_t>(block), bytes, weight, source, {}};
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
    Subject subject = {part.begin, part.end - part.begin, part.weight_bytes, part.source, {}};
    read_registers(subject.registers);
    record(subject);
  }
}

void forget_sampled(void* block) {
  if (!is_likely_sampled(block)) {
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
    LiveTable::put_back(slot_, address_);
  }
}

}  // namespace lowtide::agent
