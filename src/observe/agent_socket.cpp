#include "observe/agent_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace lowtide::observe {
namespace {

// What came beside the bytes. Every descriptor is taken, so that none stays open.
void take_control(msghdr& message, AgentHello& hello) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET) {
      continue;
    }
    if (part->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t at = 0; at < count; ++at) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(part) + at * sizeof(int), sizeof(int));
        hello.file = base::Fd(fd);
      }
    } else if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(part), sizeof(sender));
      hello.pid = sender.pid;
    }
  }
}

}  // namespace

base::Result<AgentSocket> AgentSocket::bind(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return base::Error{base::ErrorCode::Unsupported, "the path of the agents' socket is too long: " + path};
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!socket.valid() || ::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return base::Error{base::ErrorCode::Io, "make the agents' socket " + path + ": " + std::strerror(errno)};
  }
  return AgentSocket(std::move(socket));
}

std::optional<AgentHello> AgentSocket::receive() {
  for (;;) {
    wire::Hello bytes{};
    iovec part{&bytes, sizeof(bytes)};
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(4 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t received = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (received < 0) {
      if (errno == EINTR) {
        continue;
      }
      return std::nullopt;
    }
    AgentHello hello;
    take_control(message, hello);
    if (received != sizeof(bytes) || bytes.magic != wire::kMagic || bytes.version != wire::kVersion ||
        hello.pid <= 0 || bytes.state > wire::AgentState::Off ||
        bytes.reason > wire::OffReason::DetachAsked) {
      continue;
    }
    hello.state = bytes.state;
    hello.reason = bytes.reason;
    hello.python_version = bytes.python_version & 0xffffU;
    return hello;
  }
}

}  // namespace lowtide::observe
