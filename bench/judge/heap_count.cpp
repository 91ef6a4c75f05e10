#include "judge/heap_count.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

// The bench has one thread.
std::size_t g_live = 0;
std::size_t g_peak = 0;

void* count_in(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  g_live += malloc_usable_size(block);
  g_peak = std::max(g_peak, g_live);
  return block;
}

void count_out(void* block) noexcept {
  if (block == nullptr) return;
  g_live -= malloc_usable_size(block);
  std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): this is operator delete
}

}  // namespace

// All other forms of new and delete end in these four.
void* operator new(std::size_t size) {
  return count_in(std::malloc(size));  // NOLINT(cppcoreguidelines-no-malloc): this is operator new
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return count_in(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* block) noexcept {
  count_out(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  count_out(block);
}
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept {
  count_out(block);
}
void operator delete(void* block, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  count_out(block);
}

namespace lowtide::bench {

std::size_t heap_live_bytes() {
  return g_live;
}

std::size_t heap_peak_bytes() {
  return g_peak;
}

void reset_heap_peak() {
  g_peak = g_live;
}

}  // namespace lowtide::bench
