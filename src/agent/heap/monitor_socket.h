// Connects to the monitor, and to nobody else.

#pragma once

#include <sys/un.h>

#include <cstdint>

namespace lowtide::agent {

// A socket, or -errno. Refuses (-EPERM) a listener of another user: the folder of a monitor that has ended
// can be made anew by anybody, and what is sent holds pieces of the job's stack. Root may listen to
// everybody. `pid`, where wanted, is the listener's, or 0 where it lives in a namespace that we do not see.
long connect_to_monitor(const sockaddr_un& address, long flags, std::int32_t* pid = nullptr);

}  // namespace lowtide::agent
