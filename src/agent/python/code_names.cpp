#include "agent/python/code_names.h"

#include <atomic>

#include "agent/heap/channel.h"
#include "agent/heap/memory.h"
#include "agent/heap/ring.h"
#include "agent/python/runtime.h"
#include "agent/python/text.h"
#include "wire/layout.h"

namespace lowtide::agent {
namespace {

// A code object may be freed and another take its address: it is the same function
// when name, file and first line are the same objects.
struct Identity {
  const void* code;
  const void* file;
  const void* function;
  std::uint32_t first_line;

  bool operator==(const Identity& other) const = default;
};

// Read and written by many threads: the sequence is odd while one of them writes.
struct Entry {
  std::atomic<std::uint32_t> sequence;
  std::uint32_t number;
  std::uint32_t epoch;
  Identity identity;
};

constexpr std::uint32_t kEntries = 4096;
constexpr std::uint32_t kLines = 4096;

// Zero until a Python function was sampled: pages that nobody touches cost nothing.
constinit Entry g_entries[kEntries] = {};
constinit std::atomic<std::uint64_t> g_lines[kLines] = {};
constinit std::atomic<std::uint32_t> g_numbers{0};

Identity identity_of(const void* code) {
  const wire::PythonLayout& layout = g_python.layout;
  return {code, field<const void*>(code, layout.code_file), field<const void*>(code, layout.code_function),
          field<std::uint32_t>(code, layout.code_first_line)};
}

std::uint32_t read_entry(const Entry& entry, const Identity& identity) {
  const std::uint32_t before = entry.sequence.load(std::memory_order_acquire);
  const bool same = (before & 1U) == 0 && entry.identity == identity && entry.epoch == epoch();
  const std::uint32_t number = entry.number;
  std::atomic_thread_fence(std::memory_order_acquire);
  return same && entry.sequence.load(std::memory_order_relaxed) == before ? number : 0;
}

void write_entry(Entry& entry, const Identity& identity, std::uint32_t number) {
  std::uint32_t before = entry.sequence.load(std::memory_order_relaxed);
  if ((before & 1U) != 0 ||
      !entry.sequence.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) {
    return;  // somebody else is at it; the name is written twice, which does no harm
  }
  std::atomic_thread_fence(std::memory_order_release);
  entry.identity = identity;
  entry.epoch = epoch();
  entry.number = number;
  entry.sequence.store(before + 2, std::memory_order_release);
}

__attribute__((noinline)) bool tell(const Identity& identity, std::uint32_t number) {
  char file[wire::kMaxTextBytes];
  char function[wire::kMaxTextBytes];
  const std::uint32_t file_bytes = copy_python_text(identity.file, file, sizeof(file));
  const std::uint32_t function_bytes = copy_python_text(identity.function, function, sizeof(function));
  const Reserved room = g_ring.reserve(sizeof(wire::CodeRecord) + file_bytes + function_bytes);
  if (!room) {
    count_drop(wire::Drop::CodeName, 0);
    return false;
  }
  auto& record = *reinterpret_cast<wire::CodeRecord*>(room.at);
  record.header.bytes = room.bytes;
  record.header.kind = wire::RecordKind::Code;
  record.code = number;
  record.first_line = identity.first_line;
  record.file_bytes = file_bytes;
  record.function_bytes = function_bytes;
  copy_bytes(room.at + sizeof(record), file, file_bytes);
  copy_bytes(room.at + sizeof(record) + file_bytes, function, function_bytes);
  Ring::commit(room);
  return true;
}

std::uint64_t mix(std::uint64_t value) {
  return value * 0x9e3779b97f4a7c15ULL;
}

}  // namespace

std::uint32_t number_of_code(const void* code) {
  const Identity identity = identity_of(code);
  if (identity.file == nullptr || identity.function == nullptr) {
    return 0;
  }
  Entry& entry = g_entries[mix(reinterpret_cast<std::uintptr_t>(code)) >> 52U];
  if (const std::uint32_t number = read_entry(entry, identity)) {
    return number;
  }
  const std::uint32_t number = g_numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!tell(identity, number)) {
    return 0;
  }
  write_entry(entry, identity, number);
  return number;
}

std::uint32_t line_of(const void* code, std::uint32_t number, std::int64_t byte_offset) {
  constexpr std::uint64_t kNumberLimit = 1U << 20U;
  constexpr std::uint64_t kPlaceLimit = 1U << 22U;
  if (byte_offset < 0 || byte_offset > INT32_MAX) {
    return field<std::uint32_t>(code, g_python.layout.code_first_line);
  }
  const auto place = static_cast<std::uint64_t>(byte_offset) / 2;
  const bool can_keep = number != 0 && number < kNumberLimit && place < kPlaceLimit;
  // Number, place and line in one word, so that it is always whole.
  const std::uint64_t key = (static_cast<std::uint64_t>(number) << 44U) | (place << 22U);
  auto& kept = g_lines[mix(key >> 22U) >> 52U];
  const std::uint64_t found = kept.load(std::memory_order_relaxed);
  if (can_keep && (found & ~(kPlaceLimit - 1)) == key) {
    return static_cast<std::uint32_t>(found & (kPlaceLimit - 1));
  }
  const int line = g_python.functions.address_to_line(const_cast<void*>(code), static_cast<int>(byte_offset));
  if (line <= 0) {
    return 0;
  }
  if (can_keep && static_cast<std::uint64_t>(line) < kPlaceLimit) {
    kept.store(key | static_cast<std::uint64_t>(line), std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(line);
}

}  // namespace lowtide::agent
