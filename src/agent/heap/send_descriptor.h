// Sends a message of the agent over a socket, and a file with it.

#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>

#include "agent/heap/memory.h"
#include "agent/heap/system_call.h"

namespace lowtide::agent {

// What sendmsg() gives; -errno where it fails. `fd` < 0: no file.
inline long send_descriptor(long socket, void* bytes, std::size_t size, long fd, long flags) {
  iovec part{bytes, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int sent = static_cast<int>(fd);
    copy_bytes(CMSG_DATA(rights), &sent, sizeof(sent));
  }
  return system_call(SYS_sendmsg, socket, as_word(&message), flags | MSG_NOSIGNAL);
}

}  // namespace lowtide::agent
