// What the agent keeps per thread: 32 bytes.

#pragma once

#include <cstdint>

namespace lowtide::agent {

struct ThreadState {
  std::int64_t bytes_left;   // until the next sample
  std::uint64_t mean_bytes;  // with which bytes_left was drawn; 0: this thread is new
  std::uint64_t random;
  std::uint32_t inside;  // this thread is in one of our hooks, or in what a hook called
  std::uint32_t unused;
};
static_assert(sizeof(ThreadState) <= 64);

// Initial-exec, because the default TLS model may call the allocator on first touch.
// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern thread_local constinit ThreadState t_thread __attribute__((tls_model("initial-exec")));

// Stops a hook from observing itself and what the real function calls. It does NOT
// make allocation safe: the caller may hold the allocator's lock, so hooks allocate
// nothing at all.
class HookScope {
 public:
  HookScope() { t_thread.inside = 1; }
  ~HookScope() { t_thread.inside = 0; }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;
  HookScope(HookScope&&) = delete;
  HookScope& operator=(HookScope&&) = delete;
};

}  // namespace lowtide::agent
