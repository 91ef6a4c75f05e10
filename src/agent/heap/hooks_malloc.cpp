// Stands in front of the allocator (LD_PRELOAD).
//
// Runs inside somebody else's training job. Rules: docs/in-target.md.
// Allocates: never. Blocks: never. Throws: never. Signals: no lock, so a handler that
// interrupts us can only be left unobserved, never blocked. errno: only the real
// functions touch it.

#include <cerrno>
#include <cstddef>

#include "agent/heap/hook.h"
#include "agent/heap/real.h"
#include "agent/heap/sample.h"

extern "C" {

void* hook_malloc(std::size_t) noexcept LOWTIDE_HOOK(malloc);
void hook_free(void*) noexcept LOWTIDE_HOOK(free);
void* hook_calloc(std::size_t, std::size_t) noexcept LOWTIDE_HOOK(calloc);
void* hook_realloc(void*, std::size_t) noexcept LOWTIDE_HOOK(realloc);
void* hook_reallocarray(void*, std::size_t, std::size_t) noexcept LOWTIDE_HOOK(reallocarray);
int hook_posix_memalign(void**, std::size_t, std::size_t) noexcept LOWTIDE_HOOK(posix_memalign);
void* hook_aligned_alloc(std::size_t, std::size_t) noexcept LOWTIDE_HOOK(aligned_alloc);
void* hook_memalign(std::size_t, std::size_t) noexcept LOWTIDE_HOOK(memalign);
void* hook_valloc(std::size_t) noexcept LOWTIDE_HOOK(valloc);
void* hook_pvalloc(std::size_t) noexcept LOWTIDE_HOOK(pvalloc);
void hook_free_sized(void*, std::size_t) noexcept LOWTIDE_HOOK(free_sized);
void hook_free_aligned_sized(void*, std::size_t, std::size_t) noexcept LOWTIDE_HOOK(free_aligned_sized);
}

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
  if (is_inside()) {
    return allocate();
  }
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
  if (count_down(bytes)) {
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

void* hook_malloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Malloc, [=] { return g_real.malloc(bytes); });
}

// Not in a HookScope: the real free is the last thing it does, and what an allocator
// gives back to the kernel in it was never recorded.
void hook_free(void* block) noexcept {
  note_free(block);
  g_real.free(block);
}

void* hook_calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    return g_real.calloc(count, bytes);  // which says no
  }
  return observed(total, Source::Calloc, [=] { return g_real.calloc(count, bytes); });
}

void* hook_realloc(void* block, std::size_t bytes) noexcept {
  return observed_realloc(block, bytes);
}

void* hook_reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return observed_realloc(block, total);
}

int hook_posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (count_down(bytes) || is_inside()) {
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

void* hook_aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.aligned_alloc(alignment, bytes); });
}

void* hook_memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.memalign(alignment, bytes); });
}

void* hook_valloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.valloc(bytes); });
}

void* hook_pvalloc(std::size_t bytes) noexcept {
  return observed(bytes, Source::Aligned, [=] { return g_real.pvalloc(bytes); });
}

// Not every allocator has these two, and the next one that does may be another
// allocator: the plain free is always the right one.
void hook_free_sized(void* block, std::size_t /*bytes*/) noexcept {
  note_free(block);
  g_real.free(block);
}

void hook_free_aligned_sized(void* block, std::size_t /*alignment*/, std::size_t /*bytes*/) noexcept {
  note_free(block);
  g_real.free(block);
}
