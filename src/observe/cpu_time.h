#pragma once

#include <ctime>

namespace lowtide::observe {

// What something cost the machine. Not the time that passed: on a busy one, and
// most of all where memory runs out, a tick waits for its turn, and that is no
// reason to look less often.
inline double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace lowtide::observe
