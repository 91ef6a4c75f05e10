// Stands in front of the allocator (LD_PRELOAD).
//
// Runs inside somebody else's training job. Rules: docs/in-target.md.
// Allocates: never. Blocks: never. Throws: never. Signals: no lock, so a handler that
// interrupts us can only be left unobserved, never blocked. errno: only the real
// functions touch it.

#include <cerrno>
#include <cstddef>

#include "agent/heap/real.h"
#include "agent/heap/sample.h"

#define LOWTIDE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using lowtide::agent::count_down;
using lowtide::agent::g_real;
using lowtide::agent::HookScope;
using lowtide::agent::is_inside;
using lowtide::agent::Moving;
using lowtide::agent::note_allocation;
using lowtide::agent::note_free;
using lowtide::agent::take_sample;
using lowtide::wire::Source;

// `allocate` calls the real function.
template <typename Allocate>
__attribute__((noinline, cold)) void* sampled(std::size_t bytes, Source source, Allocate allocate) {
  void* block = nullptr;
  {
    HookScope scope;
    block = allocate();
  }
  take_sample(block, bytes, source);
  return block;
}

// Not in a HookScope unless it is sampled: then the real function is a jump, the last
// thing that we do. What other allocators map from inside their malloc is known by
// the address that it is called from.
template <typename Allocate>
inline void* observed(std::size_t bytes, Source source, Allocate allocate) {
  if (is_inside() || count_down(bytes)) {
    return allocate();
  }
  return sampled(bytes, source, allocate);
}

void* observed_realloc(void* block, std::size_t bytes) {
  if (is_inside()) {
    return g_real.realloc(block, bytes);
  }
  void* moved = nullptr;
  Moving moving(block);
  {
    HookScope scope;
    moved = g_real.realloc(block, bytes);
  }
  // realloc(p, 0) may free and return null.
  if (moved != nullptr || (bytes == 0 && block != nullptr)) {
    moving.succeeded();
  } else {
    moving.failed();
  }
  if (moved != nullptr) {
    note_allocation(moved, bytes, Source::Realloc);
  }
  return moved;
}

}  // namespace

LOWTIDE_EXPORT void* malloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Malloc, [=] { return g_real.malloc(bytes); });
}

// Not in a HookScope: the real free is the last thing it does, and what an allocator
// gives back to the kernel in it was never recorded.
LOWTIDE_EXPORT void free(void* block) noexcept {
  note_free(block);
  g_real.free(block);
}

LOWTIDE_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    return g_real.calloc(count, bytes);  // which says no
  }
  return observed(total, Source::Calloc, [=] { return g_real.calloc(count, bytes); });
}

LOWTIDE_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  return observed_realloc(block, bytes);
}

LOWTIDE_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return observed_realloc(block, total);
}

LOWTIDE_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (is_inside() || count_down(bytes)) {
    return g_real.posix_memalign(block, alignment, bytes);
  }
  int failed = 0;
  {
    HookScope scope;
    failed = g_real.posix_memalign(block, alignment, bytes);
  }
  take_sample(failed == 0 ? *block : nullptr, bytes, Source::Aligned);
  return failed;
}

LOWTIDE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.aligned_alloc(alignment, bytes); });
}

LOWTIDE_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.memalign(alignment, bytes); });
}

LOWTIDE_EXPORT void* valloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.valloc(bytes); });
}

LOWTIDE_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.pvalloc(bytes); });
}

// Not every allocator has these two, and the next one that does may be another
// allocator: the plain free is always the right one.
LOWTIDE_EXPORT void free_sized(void* block, std::size_t /*bytes*/) noexcept {
  note_free(block);
  g_real.free(block);
}

LOWTIDE_EXPORT void free_aligned_sized(void* block, std::size_t /*alignment*/,
                                       std::size_t /*bytes*/) noexcept {
  note_free(block);
  g_real.free(block);
}
