// The functions that we stand in front of.
//
// Each pointer first leads to a stub that looks all of them up and then calls: hooks
// run before our constructor does (ld.so and the constructors of other libraries
// allocate), and a block must always go back to the allocator that it came from.
// So the answer is the same from the first call on, and there is no bootstrap pool.

#pragma once

#include <sys/types.h>

#include <cstddef>

#include "agent/heap/hook.h"

namespace lowtide::agent {

// glibc's struct mallinfo2, which the headers of an older one do not have.
struct AllocatorState {
  std::size_t arena_bytes;
  std::size_t free_chunks;
  std::size_t fast_chunks;
  std::size_t mappings;
  std::size_t mapped_bytes;
  std::size_t unused;
  std::size_t fast_bytes;
  std::size_t used_bytes;
  std::size_t free_bytes;
  std::size_t top_bytes;
};
static_assert(sizeof(AllocatorState) == 10 * sizeof(std::size_t));

struct RealFunctions {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*valloc)(std::size_t);
  void* (*pvalloc)(std::size_t);
  void* (*mmap)(void*, std::size_t, int, int, int, off_t);
  int (*munmap)(void*, std::size_t);
  void* (*mremap)(void*, std::size_t, std::size_t, int, void*);  // the fifth is only read under a flag
  void* (*dlopen)(const char*, int);
  int (*dlclose)(void*);
  void* (*dlsym)(void*, const char*);
  void* (*dlvsym)(void*, const char*, const char*);
  int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
  long (*syscall)(long, long, long, long, long, long, long);
  // Of the library that malloc is from; null where it has none (mallinfo2 is of glibc 2.33).
  int (*malloc_trim)(std::size_t);
  AllocatorState (*mallinfo2)();
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit RealFunctions g_real LOWTIDE_OWN_DATA;

// Looks them up. May be called often and by many threads: every call finds the same.
void resolve_real();

// True for an address in the library that the real malloc belongs to: what it maps is
// what its malloc hands out, and must not be counted twice.
bool is_in_allocator(const void* address);

// True when the program itself defines malloc, in front of us: then nobody calls ours.
bool has_own_allocator();

}  // namespace lowtide::agent
