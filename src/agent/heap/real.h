// The functions that we stand in front of.
//
// Each pointer first leads to a stub that looks all of them up and then calls: hooks
// run before our constructor does (ld.so and the constructors of other libraries
// allocate), and a block must always go back to the allocator that it came from.
// So the answer is the same from the first call on, and there is no bootstrap pool.

#pragma once

#include <sys/types.h>

#include <cstddef>

namespace lowtide::agent {

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
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit RealFunctions g_real;

// Looks them up. May be called often and by many threads: every call finds the same.
void resolve_real();

// True for an address in the library that the real malloc belongs to: what it maps is
// what its malloc hands out, and must not be counted twice.
bool is_in_allocator(const void* address);

// True when the program itself defines malloc, in front of us: then nobody calls ours.
bool has_own_allocator();

}  // namespace lowtide::agent
