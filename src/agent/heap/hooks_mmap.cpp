// Memory that is mapped past the allocator: anonymous, or shared between processes by a
// file that lies in memory (/dev/shm, memfd). Files on a disk are not memory. What the allocator maps for
// itself is not seen: glibc does not call these by name, and others call them from
// inside malloc or from their own library.
//
// These may run under an allocator's lock: they initialise nothing.

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "agent/heap/channel.h"
#include "agent/heap/hook.h"
#include "agent/heap/mappings.h"
#include "agent/heap/real.h"
#include "agent/heap/sample.h"
#include "agent/heap/system_call.h"

extern "C" {

void* hook_mmap(void*, std::size_t, int, int, int, off_t) noexcept LOWTIDE_HOOK(mmap);
void* hook_mmap64(void*, std::size_t, int, int, int, off64_t) noexcept LOWTIDE_HOOK(mmap64);
int hook_munmap(void*, std::size_t) noexcept LOWTIDE_HOOK(munmap);
void* hook_mremap(void*, std::size_t, std::size_t, int, ...) noexcept LOWTIDE_HOOK(mremap);
}

namespace {

using lowtide::agent::as_word;
using lowtide::agent::failed;
using lowtide::agent::forget_pages;
using lowtide::agent::g_mappings;
using lowtide::agent::g_power;
using lowtide::agent::g_real;
using lowtide::agent::note_allocation;
using lowtide::agent::Power;
using lowtide::agent::system_call;
using lowtide::agent::t_thread;
using lowtide::wire::Source;

constexpr std::uintptr_t kPageMask = 4095;

// PROT_NONE is a reservation, MAP_STACK a thread's stack.
bool counts(int protection, int flags) {
  constexpr int kWanted = MAP_PRIVATE | MAP_ANONYMOUS;
  return (flags & kWanted) == kWanted && (flags & MAP_STACK) == 0 && (protection & PROT_WRITE) != 0;
}

// Devices lie in a tmpfs too (devtmpfs), and their mappings are not memory of the job.
bool counts_as_shared(int protection, int flags, int fd) {
  const int type = flags & MAP_TYPE;
  if ((type != MAP_SHARED && type != MAP_SHARED_VALIDATE) || (protection & PROT_WRITE) == 0) {
    return false;
  }
  if ((flags & MAP_ANONYMOUS) != 0) {
    return true;
  }
  constexpr long kTmpfs = 0x01021994;
  struct stat file {};
  struct statfs system {};
  return !failed(system_call(SYS_fstat, fd, as_word(&file))) && S_ISREG(file.st_mode) &&
         !failed(system_call(SYS_fstatfs, fd, as_word(&system))) && system.f_type == kTmpfs;
}

void* observed_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset,
                    const void* caller) {
  if (t_thread.inside != 0) {
    return g_real.mmap(at, bytes, protection, flags, fd, offset);
  }
  if ((flags & MAP_FIXED) != 0) {
    forget_pages(at, bytes);  // what was there is replaced
  }
  void* mapped = g_real.mmap(at, bytes, protection, flags, fd, offset);
  if (mapped == MAP_FAILED || lowtide::agent::is_in_allocator(caller)) {
    return mapped;
  }
  if (g_power.load(std::memory_order_relaxed) == Power::Off) {
    return mapped;
  }
  if (counts(protection, flags)) {
    note_allocation(mapped, (bytes + kPageMask) & ~kPageMask, Source::Mmap);
  } else if (counts_as_shared(protection, flags, fd)) {
    note_allocation(mapped, (bytes + kPageMask) & ~kPageMask, Source::SharedMmap);
  }
  return mapped;
}

}  // namespace

void* hook_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  return observed_mmap(at, bytes, protection, flags, fd, offset, __builtin_return_address(0));
}

void* hook_mmap64(void* at, std::size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  return observed_mmap(at, bytes, protection, flags, fd, offset, __builtin_return_address(0));
}

// Recorded first: once the pages are gone, another thread may get the same address.
int hook_munmap(void* at, std::size_t bytes) noexcept {
  if (t_thread.inside == 0) {
    forget_pages(at, bytes);
  }
  return g_real.munmap(at, bytes);
}

void* hook_mremap(void* at, std::size_t bytes, std::size_t new_bytes, int flags, ...) noexcept {
  std::va_list rest;
  va_start(rest, flags);
  void* to = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  if (t_thread.inside != 0 || g_mappings.empty()) {
    return g_real.mremap(at, bytes, new_bytes, flags, to);
  }
  forget_pages(at, bytes);
  if (to != nullptr) {
    forget_pages(to, new_bytes);
  }
  void* moved = g_real.mremap(at, bytes, new_bytes, flags, to);
  // What was tracked is tracked on, as a new mapping; a failure leaves the old one untracked,
  // which understates.
  if (moved != MAP_FAILED && !lowtide::agent::is_in_allocator(__builtin_return_address(0))) {
    note_allocation(moved, (new_bytes + kPageMask) & ~kPageMask, Source::Mmap);
  }
  return moved;
}
