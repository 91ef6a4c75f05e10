#include "agent/heap/memory.h"

#include <sys/mman.h>

#include <ctime>

#include "agent/heap/system_call.h"

namespace lowtide::agent {

void* map_private(std::size_t bytes) {
  const long mapped = system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  return failed(mapped) ? nullptr : reinterpret_cast<void*>(mapped);
}

bool populate(void* begin, std::size_t bytes) {
  constexpr long kPopulateWrite = 23;  // since Linux 5.14
  if (system_call(SYS_madvise, as_word(begin), static_cast<long>(bytes), kPopulateWrite) == 0) {
    return true;
  }
  // The kernel writes a time into each page for us: where we would get SIGBUS, it gets
  // EFAULT. The range is new, nobody minds the zeros after it.
  constexpr std::size_t kPageBytes = 4096;
  for (std::size_t at = 0; at < bytes; at += kPageBytes) {
    auto* page = static_cast<char*>(begin) + at;
    if (system_call(SYS_clock_gettime, CLOCK_MONOTONIC, as_word(page)) != 0) {
      return false;
    }
    __builtin_memset(page, 0, sizeof(timespec));
  }
  return true;
}

}  // namespace lowtide::agent
