#include "agent/python/walk/child_memory.h"

#include <sys/syscall.h>

#include <initializer_list>

#include "agent/heap/memory.h"
#include "agent/heap/system_call.h"
#include "agent/python/runtime.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kHeadBytes = 16;  // before each block of Python: its size, and the alignment

constinit std::uint64_t g_limit_bytes = 0;
constinit std::uint64_t g_taken_bytes = 0;
constinit std::uint64_t g_most_bytes = 0;
// One range of addresses, so that the child's memory can be distinguished from what lies between: the job's
// own memory may be on both sides of whatever is mapped later.
constinit char* g_region = nullptr;
constinit std::size_t g_region_bytes = 0;
constinit std::size_t g_used_bytes = 0;

std::size_t round_up(std::size_t bytes) {
  return (bytes + 15U) & ~std::size_t{15U};
}

void* python_malloc(void* /*context*/, std::size_t bytes) {
  if (bytes > (1ULL << 40U)) {
    return nullptr;
  }
  auto* block = static_cast<char*>(take_memory(bytes + kHeadBytes));
  if (block == nullptr) {
    return nullptr;
  }
  __builtin_memcpy(block, &bytes, sizeof(bytes));
  return block + kHeadBytes;
}

void* python_calloc(void* context, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  return __builtin_mul_overflow(count, bytes, &total) ? nullptr : python_malloc(context, total);
}

bool is_ours(const void* block) {
  const auto* at = static_cast<const char*>(block);
  return at >= g_region && at < g_region + g_used_bytes;
}

// The length of a block from before the fork is unknown: as much as can be read is copied.
std::size_t readable_bytes(const char* block, std::size_t wanted) {
  constexpr std::uintptr_t kPageBytes = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  std::uintptr_t end = (begin | (kPageBytes - 1)) + 1;
  while (end - begin < wanted && is_readable(end)) {
    end += kPageBytes;
  }
  return end - begin < wanted ? end - begin : wanted;
}

void* python_realloc(void* context, void* block, std::size_t bytes) {
  auto* moved = static_cast<char*>(python_malloc(context, bytes));
  if (moved == nullptr || block == nullptr) {
    return moved;
  }
  const auto* from = static_cast<const char*>(block);
  std::size_t known = bytes;
  if (is_ours(block)) {
    __builtin_memcpy(&known, from - kHeadBytes, sizeof(known));
  } else {
    known = readable_bytes(from, bytes);
  }
  copy_bytes(moved, from, known < bytes ? known : bytes);
  return moved;
}

// The last block can be reused: a number that is asked for, read and dropped costs nothing.
void python_free(void* /*context*/, void* block) {
  if (!is_ours(block)) {
    return;
  }
  auto* head = static_cast<char*>(block) - kHeadBytes;
  std::size_t bytes = 0;
  __builtin_memcpy(&bytes, head, sizeof(bytes));
  const std::size_t whole = round_up(bytes + kHeadBytes);
  if (head + whole == g_region + g_used_bytes) {
    g_used_bytes -= whole;
    g_taken_bytes -= whole;
    __builtin_memset(head, 0, whole);
  }
}

}  // namespace

bool begin_child_memory(std::uint64_t limit_bytes) {
  g_limit_bytes = limit_bytes;
  g_region = static_cast<char*>(reserve_memory(1, limit_bytes, g_region_bytes));
  return g_region != nullptr;
}

bool count_memory(std::size_t bytes) {
  if (g_taken_bytes + bytes > g_limit_bytes) {
    return false;
  }
  g_taken_bytes += bytes;
  g_most_bytes = g_taken_bytes > g_most_bytes ? g_taken_bytes : g_most_bytes;
  return true;
}

void uncount_memory(std::size_t bytes) {
  g_taken_bytes -= bytes;
}

void* map_memory(std::size_t bytes) {
  return map_private(bytes);
}

void unmap_memory(void* begin, std::size_t bytes) {
  system_call(SYS_munmap, as_word(begin), static_cast<long>(bytes));
}

std::uint64_t most_taken_bytes() {
  return g_most_bytes;
}

void* take_memory(std::size_t bytes) {
  bytes = round_up(bytes);
  if (bytes > g_region_bytes - g_used_bytes || !count_memory(bytes)) {
    return nullptr;
  }
  void* block = g_region + g_used_bytes;
  g_used_bytes += bytes;
  return block;
}

bool is_made_here(const void* object) {
  return is_ours(object);
}

void* reserve_memory(std::size_t element_bytes, std::size_t most, std::size_t& count) {
  for (count = most; count >= 1024; count /= 2) {
    if (void* space = map_private(count * element_bytes)) {
      return space;
    }
  }
  count = 0;
  return nullptr;
}

void serve_python() {
  PythonAllocator ours = {nullptr, python_malloc, python_calloc, python_realloc, python_free};
  for (const PythonDomain domain : {PythonDomain::Raw, PythonDomain::Mem, PythonDomain::Object}) {
    g_python.functions.set_allocator(domain, &ours);
  }
}

}  // namespace lowtide::agent
