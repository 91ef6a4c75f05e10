#include "agent/heap/real.h"

#include <link.h>

#include <cerrno>
#include <cstdint>

#include "agent/heap/elf_lookup.h"
#include "agent/heap/loaded_objects.h"
#include "agent/heap/stand_in.h"
#include "agent/heap/system_call.h"

namespace lowtide::agent {
namespace {

void* first_malloc(std::size_t bytes) {
  resolve_real();
  return g_real.malloc(bytes);
}
void first_free(void* block) {
  resolve_real();
  g_real.free(block);
}
void* first_calloc(std::size_t count, std::size_t bytes) {
  resolve_real();
  return g_real.calloc(count, bytes);
}
void* first_realloc(void* block, std::size_t bytes) {
  resolve_real();
  return g_real.realloc(block, bytes);
}
int first_posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  resolve_real();
  return g_real.posix_memalign(block, alignment, bytes);
}
void* first_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  resolve_real();
  return g_real.aligned_alloc(alignment, bytes);
}
void* first_memalign(std::size_t alignment, std::size_t bytes) {
  resolve_real();
  return g_real.memalign(alignment, bytes);
}
void* first_valloc(std::size_t bytes) {
  resolve_real();
  return g_real.valloc(bytes);
}
void* first_pvalloc(std::size_t bytes) {
  resolve_real();
  return g_real.pvalloc(bytes);
}
void* first_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  resolve_real();
  return g_real.mmap(at, bytes, protection, flags, fd, offset);
}
int first_munmap(void* at, std::size_t bytes) {
  resolve_real();
  return g_real.munmap(at, bytes);
}
void* first_mremap(void* at, std::size_t bytes, std::size_t new_bytes, int flags, void* to) {
  resolve_real();
  return g_real.mremap(at, bytes, new_bytes, flags, to);
}
void* first_dlopen(const char* path, int flags) {
  resolve_real();
  return g_real.dlopen(path, flags);
}
int first_dlclose(void* handle) {
  resolve_real();
  return g_real.dlclose(handle);
}
void* first_dlsym(void* handle, const char* name) {
  resolve_real();
  return g_real.dlsym(handle, name);
}
void* first_dlvsym(void* handle, const char* name, const char* version) {
  resolve_real();
  return g_real.dlvsym(handle, name, version);
}

int first_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  resolve_real();
  return g_real.prctl(option, a, b, c, d);
}
long first_syscall(long number, long a, long b, long c, long d, long e, long f) {
  resolve_real();
  return g_real.syscall(number, a, b, c, d, e, f);
}

// Where an allocator lacks a function that the caller asked for. glibc, jemalloc,
// tcmalloc and mimalloc have them all.
void* no_memory(std::size_t /*alignment*/, std::size_t /*bytes*/) {
  errno = ENOMEM;
  return nullptr;
}
void* no_memory_plain(std::size_t /*bytes*/) {
  errno = ENOMEM;
  return nullptr;
}
int no_posix_memalign(void** /*block*/, std::size_t /*alignment*/, std::size_t /*bytes*/) {
  return ENOMEM;
}

constinit std::uintptr_t g_allocator_begin = 0;
constinit std::uintptr_t g_allocator_end = 0;
constinit bool g_own_allocator = false;

enum class Wanted { After, Anywhere };

struct Search {
  const char* name;
  Wanted wanted;
  bool passed_us;
  bool found_before_us;
  void* found;
  std::uintptr_t begin;
  std::uintptr_t end;
};

int look(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  auto& search = *static_cast<Search*>(into);
  if (is_within(*object, reinterpret_cast<const void*>(&look))) {
    search.passed_us = true;
    return 0;
  }
  if (search.wanted == Wanted::After && !search.passed_us) {
    search.found_before_us = search.found_before_us || find_symbol(*object, search.name) != nullptr;
    return 0;
  }
  search.found = find_symbol(*object, search.name);
  if (search.found == nullptr) {
    return 0;
  }
  for (int at = 0; at < object->dlpi_phnum; ++at) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[at];
    if (segment.p_type == PT_LOAD) {
      const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
      search.begin = search.begin == 0 || begin < search.begin ? begin : search.begin;
      search.end = begin + segment.p_memsz > search.end ? begin + segment.p_memsz : search.end;
    }
  }
  return 1;
}

// The definition that comes after ours, as RTLD_NEXT; loaded late, we are the last,
// and then it is the first definition of all.
Search find_next(const char* name) {
  Search search{name, Wanted::After, false, false, nullptr, 0, 0};
  visit_objects(look, &search);
  if (search.found == nullptr) {
    search.wanted = Wanted::Anywhere;
    visit_objects(look, &search);
  }
  return search;
}

template <typename Function>
Function* next_or(const char* name, Function* otherwise) {
  void* found = find_next(name).found;
  return found != nullptr ? reinterpret_cast<Function*>(found) : otherwise;
}

// What the library that malloc is from has beside it; null where another one defines it.
template <typename Function>
Function* beside_malloc(const char* name) {
  void* found = find_next(name).found;
  return is_in_allocator(found) ? reinterpret_cast<Function*>(found) : nullptr;
}

// Before glibc 2.34 these are in libdl, which may come late, with a plugin of libc itself:
// a caller that can call them has loaded it. By a jump, as in hooks_dl.cpp.
void* late_dlopen(const char* path, int flags) {
  auto* found = next_or<void*(const char*, int)>("dlopen", nullptr);
  return found != nullptr ? found(path, flags) : nullptr;
}
int late_dlclose(void* handle) {
  auto* found = next_or<int(void*)>("dlclose", nullptr);
  return found != nullptr ? found(handle) : -1;
}
void* late_dlsym(void* handle, const char* name) {
  auto* found = next_or<void*(void*, const char*)>("dlsym", nullptr);
  return found != nullptr ? found(handle, name) : nullptr;
}
void* late_dlvsym(void* handle, const char* name, const char* version) {
  auto* found = next_or<void*(void*, const char*, const char*)>("dlvsym", nullptr);
  return found != nullptr ? found(handle, name, version) : nullptr;
}

}  // namespace

constinit RealFunctions g_real = {first_malloc,         first_free,          first_calloc,   first_realloc,
                                  first_posix_memalign, first_aligned_alloc, first_memalign, first_valloc,
                                  first_pvalloc,        first_mmap,          first_munmap,   first_mremap,
                                  first_dlopen,         first_dlclose,       first_dlsym,    first_dlvsym,
                                  first_prctl,          first_syscall,       nullptr,        nullptr};

void resolve_real() {
  const Search malloc = find_next("malloc");
  g_allocator_begin = malloc.begin;
  g_allocator_end = malloc.end;
  g_own_allocator = malloc.found_before_us;
  RealFunctions real = g_real;
  real.malloc = reinterpret_cast<void* (*)(std::size_t)>(malloc.found);
  real.free = next_or<void(void*)>("free", nullptr);
  real.calloc = next_or<void*(std::size_t, std::size_t)>("calloc", nullptr);
  real.realloc = next_or<void*(void*, std::size_t)>("realloc", nullptr);
  real.posix_memalign = next_or("posix_memalign", &no_posix_memalign);
  real.aligned_alloc = next_or("aligned_alloc", &no_memory);
  real.memalign = next_or("memalign", &no_memory);
  real.valloc = next_or("valloc", &no_memory_plain);
  real.pvalloc = next_or("pvalloc", &no_memory_plain);
  real.mmap = next_or<void*(void*, std::size_t, int, int, int, off_t)>("mmap", nullptr);
  real.munmap = next_or<int(void*, std::size_t)>("munmap", nullptr);
  real.mremap = next_or<void*(void*, std::size_t, std::size_t, int, void*)>("mremap", nullptr);
  real.dlopen = next_or("dlopen", &late_dlopen);
  real.dlclose = next_or("dlclose", &late_dlclose);
  real.dlsym = next_or("dlsym", &late_dlsym);
  real.dlvsym = next_or("dlvsym", &late_dlvsym);
  real.prctl =
      next_or<int(int, unsigned long, unsigned long, unsigned long, unsigned long)>("prctl", nullptr);
  real.syscall = next_or<long(long, long, long, long, long, long, long)>("syscall", nullptr);
  real.malloc_trim = beside_malloc<int(std::size_t)>("malloc_trim");
  real.mallinfo2 = beside_malloc<AllocatorState()>("mallinfo2");
  g_real = real;
  find_stand_ins();
}

bool is_in_allocator(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= g_allocator_begin && at < g_allocator_end;
}

bool has_own_allocator() {
  return g_own_allocator;
}

}  // namespace lowtide::agent
