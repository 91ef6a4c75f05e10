// What a hook does besides calling the real function: count bytes down, and once in
// half a megabyte write a sample. Rules: docs/in-target.md.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/live_table.h"
#include "agent/heap/thread_state.h"
#include "wire/layout.h"

namespace lowtide::agent {

// Not for most allocations. `block` may be null: the allocation failed.
__attribute__((noinline, cold)) void take_sample(void* block, std::size_t bytes, wire::Source source);

// To be called after every allocation that was not made from inside a hook.
inline void note_allocation(void* block, std::size_t bytes, wire::Source source) {
  ThreadState& thread = t_thread;
  const auto left = static_cast<std::uint64_t>(thread.bytes_left) - bytes;
  thread.bytes_left = static_cast<std::int64_t>(left);
  if (__builtin_expect(static_cast<int>(thread.bytes_left < 0) | static_cast<int>(bytes >= thread.mean_bytes), 0) !=
      0) {
    take_sample(block, bytes, source);
  }
}

__attribute__((noinline, cold)) void forget_sampled(void* block);

// The pages are about to go, by munmap or by what is put in their place.
void forget_pages(const void* begin, std::size_t bytes);

// To be called before every free.
inline void note_free(void* block) {
  if (__builtin_expect(static_cast<int>(may_be_sampled(block)), 0) != 0) {
    forget_sampled(block);
  }
}

// A block that realloc may move: its sample is put aside while the real realloc runs,
// for once that returns, another thread may own the address.
class Moving {
 public:
  explicit Moving(void* block);
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;
  ~Moving() = default;

  void succeeded();
  void failed();

 private:
  std::uintptr_t address_;
  Detached slot_;
  std::uint32_t epoch_ = 0;  // of the tables that the slot is in
};


}  // namespace lowtide::agent
