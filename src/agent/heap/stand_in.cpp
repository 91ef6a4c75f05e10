#include "agent/heap/stand_in.h"

#include <link.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/heap/elf_lookup.h"
#include "agent/heap/loaded_objects.h"
#include "agent/heap/real.h"

extern "C" {
void* malloc(std::size_t) noexcept;
void free(void*) noexcept;
void* calloc(std::size_t, std::size_t) noexcept;
void* realloc(void*, std::size_t) noexcept;
void* reallocarray(void*, std::size_t, std::size_t) noexcept;
void free_sized(void*, std::size_t) noexcept;
void free_aligned_sized(void*, std::size_t, std::size_t) noexcept;
int posix_memalign(void**, std::size_t, std::size_t) noexcept;
void* aligned_alloc(std::size_t, std::size_t) noexcept;
void* memalign(std::size_t, std::size_t) noexcept;
void* valloc(std::size_t) noexcept;
void* pvalloc(std::size_t) noexcept;
void* mmap(void*, std::size_t, int, int, int, off_t) noexcept;
int munmap(void*, std::size_t) noexcept;
void* mremap(void*, std::size_t, std::size_t, int, ...) noexcept;
int prctl(int, ...) noexcept;
long syscall(long, ...) noexcept;
}

namespace lowtide::agent {
namespace {

template <typename Function>
std::uintptr_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

struct StandIn {
  std::uintptr_t theirs;  // 0: nobody is stood in for
  std::uintptr_t ours;
};

constexpr std::size_t kAllocators = 12;
constexpr std::size_t kMappings = 3;
constexpr std::size_t kStandIns = 17;
constinit StandIn g_stand_ins[kStandIns] = {};
constinit std::atomic<bool> g_wanted{true};

struct Candidate {
  const char* name;
  std::uintptr_t ours;
  std::uintptr_t passes_on_to;
};

bool is_libc(const dl_phdr_info& object) {
  return find_symbol(object, "gnu_get_libc_version") != nullptr;
}

bool all_are_libcs(const StandIn* from, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    if (from[at].theirs == 0) {
      return false;
    }
  }
  return true;
}

// mmap64 is mmap. The last two of a family may be missing; where one of the first is not
// libc's, another library stands between, and the whole family is left alone.
int look_into_libc(dl_phdr_info* object, std::size_t /*bytes*/, void* /*into*/) {
  if (!is_libc(*object)) {
    return 0;
  }
  const std::uintptr_t real_realloc = address_of(g_real.realloc);
  const std::uintptr_t real_free = address_of(g_real.free);
  const Candidate candidates[kStandIns] = {
      {"malloc", address_of(&malloc), address_of(g_real.malloc)},
      {"free", address_of(&free), real_free},
      {"calloc", address_of(&calloc), address_of(g_real.calloc)},
      {"realloc", address_of(&realloc), real_realloc},
      {"posix_memalign", address_of(&posix_memalign), address_of(g_real.posix_memalign)},
      {"aligned_alloc", address_of(&aligned_alloc), address_of(g_real.aligned_alloc)},
      {"memalign", address_of(&memalign), address_of(g_real.memalign)},
      {"valloc", address_of(&valloc), address_of(g_real.valloc)},
      {"pvalloc", address_of(&pvalloc), address_of(g_real.pvalloc)},
      {"reallocarray", address_of(&reallocarray), 0},
      {"free_sized", address_of(&free_sized), 0},
      {"free_aligned_sized", address_of(&free_aligned_sized), 0},
      {"mmap", address_of(&mmap), address_of(g_real.mmap)},
      {"munmap", address_of(&munmap), address_of(g_real.munmap)},
      {"mremap", address_of(&mremap), address_of(g_real.mremap)},
      {"prctl", address_of(&prctl), address_of(g_real.prctl)},
      {"syscall", address_of(&syscall), address_of(g_real.syscall)},
  };
  StandIn found[kStandIns] = {};
  for (std::size_t at = 0; at < kStandIns; ++at) {
    const auto theirs = reinterpret_cast<std::uintptr_t>(find_symbol(*object, candidates[at].name));
    // 0: ours passes on to realloc and free, which are looked at below.
    if (candidates[at].passes_on_to == 0 || candidates[at].passes_on_to == theirs) {
      found[at] = {theirs, candidates[at].ours};
    }
  }
  const bool is_one_allocator = all_are_libcs(found, 4);
  const bool are_its_mappings = all_are_libcs(found + kAllocators, kMappings);
  for (std::size_t at = 0; at < kStandIns; ++at) {
    const bool is_left_alone = at < kAllocators               ? !is_one_allocator
                               : at < kAllocators + kMappings ? !are_its_mappings
                                                              : false;
    g_stand_ins[at] = is_left_alone ? StandIn{} : found[at];
  }
  return 1;
}

}  // namespace

void find_stand_ins() {
  visit_objects(look_into_libc, nullptr);
}

void stand_in(bool wanted) {
  g_wanted.store(wanted, std::memory_order_relaxed);
}

void* stand_in_for(void* found) {
  const auto address = reinterpret_cast<std::uintptr_t>(found);
  if (address == 0 || !g_wanted.load(std::memory_order_relaxed)) {
    return found;
  }
  for (const StandIn& stand_in : g_stand_ins) {
    if (stand_in.theirs == address) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
      return reinterpret_cast<void*>(stand_in.ours);
    }
  }
  return found;
}

}  // namespace lowtide::agent
