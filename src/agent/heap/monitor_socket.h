// Connects to the monitor and refuses any other listener.

#pragma once

#include <sys/un.h>

#include <cstdint>

namespace lowtide::agent {

// Returns a socket or -errno. Returns -EPERM if the listener runs as another user who is not root: after a
// monitor has ended, any user can create its directory again, and the agent sends parts of the job's stack.
// Sets `pid`, if given, to the process ID of the listener, or to 0 if it is not visible in this namespace.
long connect_to_monitor(const sockaddr_un& address, long flags, std::int32_t* pid = nullptr);

}  // namespace lowtide::agent
