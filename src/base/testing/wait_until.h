// A test waits for an event, with a limit: never for a time, and never for ever.
#pragma once

#include <unistd.h>

#include <chrono>

namespace lowtide::base {

// What takes longer than this, on a machine that is merely busy, hangs.
inline constexpr std::chrono::seconds kTestLimit{60};

// Asks until the condition is true; false if it was not within the limit.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kTestLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::usleep(1000);
  }
  return true;
}

}  // namespace lowtide::base
