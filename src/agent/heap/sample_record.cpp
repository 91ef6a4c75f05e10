#include "agent/heap/sample_record.h"

#include "agent/heap/channel.h"
#include "agent/heap/live_table.h"
#include "agent/heap/mappings.h"
#include "agent/heap/memory.h"
#include "agent/heap/ring.h"
#include "agent/heap/system_call.h"
#include "agent/python/python.h"

namespace lowtide::agent {
namespace {

constinit std::atomic<std::uint64_t> g_samples{0};

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
    count_drop(is_of_driver(subject.source) ? wire::Drop::Driver : wire::Drop::TableFull,
               subject.weight_bytes);
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

}  // namespace

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
  record.device = subject.device;
  record.stack_bytes = stack_bytes;
  copy_bytes(record.registers, subject.registers, sizeof(record.registers));
  char* after = room.at + sizeof(record);
  copy_bytes(after, python.frames, frame_bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  copy_bytes(after + frame_bytes, reinterpret_cast<const void*>(subject.registers[1]), stack_bytes);
  Ring::commit(room);
  return true;
}

}  // namespace lowtide::agent
