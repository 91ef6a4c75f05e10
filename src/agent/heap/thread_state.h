// What the agent keeps per thread: 40 bytes.

#pragma once

#include <cstdint>

#include "agent/heap/hook.h"

namespace lowtide::agent {

// A hook subtracts an allocation from `bytes_left` and looks at nothing else. So `bytes_left` is less than
// the mean, because an allocation as large as the mean is always sampled, and 0 inside a hook.
struct ThreadState {
  std::uint64_t bytes_left;   // until the hook must do more than subtract
  std::uint64_t bytes_after;  // from there until the next sample
  std::uint64_t mean_bytes;   // with which both were drawn; 0: they must be drawn
  std::uint64_t random;
  std::uint32_t inside;  // this thread is in a hook, or in what a hook called
  std::uint32_t unused;
};
static_assert(sizeof(ThreadState) <= 64);

// Initial-exec, because the default TLS model may call the allocator on first touch.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern thread_local constinit ThreadState t_thread __attribute__((tls_model("initial-exec")))
LOWTIDE_OWN_DATA;

// From here on this thread observes nothing. For a child that never returns to the program.
inline void stay_inside() {
  t_thread.inside = 1;
  t_thread.bytes_left = 0;
}

// Stops a hook from observing itself and what the real function calls. It does NOT
// make allocation safe: the caller may hold the allocator's lock, so hooks allocate
// nothing at all.
class HookScope {
 public:
  HookScope() : inside_(t_thread.inside), bytes_left_(t_thread.bytes_left) { stay_inside(); }
  ~HookScope() {
    t_thread.bytes_left = bytes_left_;
    t_thread.inside = inside_;
  }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;
  HookScope(HookScope&&) = delete;
  HookScope& operator=(HookScope&&) = delete;

 private:
  std::uint32_t inside_;
  std::uint64_t bytes_left_;
};

// True, as nearly always: the bytes are counted. False: there were fewer left, and the subtraction has
// wrapped; then put_back() comes before anything else.
inline bool subtract(std::uint64_t bytes) {
#if defined(__x86_64__)
  // In one instruction, where the compiler makes three.
  bool has_wrapped = false;
  asm("subq %2, %1" : "=@ccb"(has_wrapped), "+m"(t_thread.bytes_left) : "r"(bytes));
  return !has_wrapped;
#else
  return !__builtin_sub_overflow(t_thread.bytes_left, bytes, &t_thread.bytes_left);
#endif
}

// A signal handler that allocated in between has counted from a number that had wrapped.
inline void put_back(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48U;  // more than any thread has left
  const std::uint64_t left = t_thread.bytes_left + bytes;
  t_thread.bytes_left = left <= kMost ? left : 0;
}

// The next allocation decides when this thread is sampled next.
inline void draw_at_next(ThreadState& thread) {
  thread.mean_bytes = 0;
  thread.bytes_left = 0;
  thread.bytes_after = 0;
}

}  // namespace lowtide::agent
