// What a hook does besides calling the real function: count bytes down, and once in
// half a megabyte write a sample. Rules: docs/in-target.md.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/live_table.h"
#include "agent/heap/thread_state.h"
#include "wire/layout.h"

namespace lowtide::agent {

// For an allocation for which count_down said no. `block` may be null: it failed.
__attribute__((noinline, cold)) void take_sample(void* block, std::size_t bytes, wire::Source source);

// For who must know before it allocates, once bytes_left does not suffice. False: no
// sample after all (the thread is new, or the agent off), and the bytes are counted.
bool is_sample_due(std::size_t bytes, wire::Source source);

// Counts an allocation that is about to be made. True, as nearly always: that is all,
// and the real function can be the last thing that the hook does. False: this thread is inside a hook, or
// the caller makes the allocation inside a HookScope and calls take_sample.
inline bool count_down(std::size_t bytes) {
  if (__builtin_expect(static_cast<long>(subtract(bytes)), 1) != 0) {
    return true;
  }
  put_back(bytes);
  return false;
}

inline bool is_inside() {
  return __builtin_expect(static_cast<long>(t_thread.inside), 0) != 0;
}

// Counts an allocation that was made.
inline void note_allocation(void* block, std::size_t bytes, wire::Source source) {
  if (!count_down(bytes)) {
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
  Moving(Moving&&) = delete;
  Moving& operator=(Moving&&) = delete;
  ~Moving() = default;

  void succeeded();
  void failed();

 private:
  std::uintptr_t address_;
  Detached slot_;
  std::uint32_t epoch_ = 0;  // of the tables that the slot is in
};

}  // namespace lowtide::agent
