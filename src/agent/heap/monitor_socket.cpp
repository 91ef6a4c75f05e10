#include "agent/heap/monitor_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "agent/heap/system_call.h"

namespace lowtide::agent {
namespace {

// struct ucred, which the headers hide from programs that are not GNU's.
struct Peer {
  std::int32_t pid;
  std::uint32_t uid;
  std::uint32_t gid;
};

bool read_peer(long socket, Peer& peer) {
  std::uint32_t bytes = sizeof(peer);
  return !failed(
             system_call(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, as_word(&peer), as_word(&bytes))) &&
         bytes == sizeof(peer);
}

bool is_trusted(const Peer& peer) {
  return peer.uid == 0 || peer.uid == system_call(SYS_geteuid);
}

}  // namespace

long connect_to_monitor(const sockaddr_un& address, long flags, std::int32_t* pid) {
  const long socket = system_call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
  if (failed(socket)) {
    return socket;
  }
  long result = system_call(SYS_connect, socket, as_word(&address), sizeof(address));
  Peer peer = {};
  if (!failed(result) && (!read_peer(socket, peer) || !is_trusted(peer))) {
    result = -EPERM;
  }
  if (failed(result)) {
    system_call(SYS_close, socket);
    return result;
  }
  if (pid != nullptr) {
    *pid = peer.pid;
  }
  return socket;
}

}  // namespace lowtide::agent
