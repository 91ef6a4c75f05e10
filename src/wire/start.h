// The two functions of the agent that are called in a process that it was put into late.
//
//   int lowtide_agent_start(const char* socket_path);   a StartResult
//   int lowtide_agent_stop(const char* unused);         the same

#pragma once

#include <cstdint>

namespace lowtide::wire {

inline constexpr char kStartFunction[] = "lowtide_agent_start";
inline constexpr char kStopFunction[] = "lowtide_agent_stop";

enum class StartResult : std::int32_t {
  Done = 0,
  AlreadyWatched = 1,  // a monitor listens already
  Declined = 2,        // a sanitizer or Valgrind is in the process: the hello says which
  NoMonitor = 3,       // nobody listens at the socket
  Busy = 4,            // a thread still uses what is left of the last time; try again
};

}  // namespace lowtide::wire
