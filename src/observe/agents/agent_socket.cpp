#include "observe/agents/agent_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "observe/agents/socket_folder.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

constexpr int kMostWaiting = 4096;       // the kernel may allow fewer
constexpr std::size_t kMostSilent = 64;  // a hello follows its connection at once, or never

// Every descriptor is taken, so that none stays open.
void take_files(msghdr& message, AgentHello& hello) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + at * sizeof(int), sizeof(int));
      hello.file = base::Fd(fd);
    }
  }
}

enum class Said { Hello, Nothing, Nonsense };

Said read_hello(int connection, AgentHello& hello) {
  wire::Hello bytes{};
  iovec part{&bytes, sizeof(bytes)};
  alignas(cmsghdr) std::byte control[CMSG_SPACE(4 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t received = -1;
  do {
    received = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0) {
    return errno == EAGAIN ? Said::Nothing : Said::Nonsense;
  }
  take_files(message, hello);
  ucred peer{};
  socklen_t length = sizeof(peer);
  const bool is_known =
      ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0;
  if (is_known) hello.pid = peer.pid;
  if (received == sizeof(wire::SnapshotHello)) {
    wire::SnapshotHello walk{};
    std::memcpy(&walk, &bytes, sizeof(walk));
    hello.is_walk = walk.magic == wire::kSnapshotMagic && walk.version == wire::kSnapshotVersion;
    hello.pid_in_target = walk.pid;
    return hello.is_walk && hello.file.valid() ? Said::Hello : Said::Nonsense;
  }
  if (!is_known || received != sizeof(bytes) || bytes.magic != wire::kMagic ||
      bytes.version != wire::kVersion || bytes.state > wire::AgentState::Off ||
      bytes.reason > wire::OffReason::Seccomp) {
    return Said::Nonsense;
  }
  hello.state = bytes.state;
  hello.reason = bytes.reason;
  hello.python_version = bytes.python_version & 0xffffU;
  return Said::Hello;
}

}  // namespace

base::Result<AgentSocket> AgentSocket::bind(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return base::Error{base::ErrorCode::Unsupported, "the path of the agent socket is too long: " + path};
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(socket.get(), kMostWaiting) != 0) {
    return base::Error{base::ErrorCode::Io, "create the agent socket " + path + ": " + std::strerror(errno)};
  }
  return AgentSocket(std::move(socket));
}

std::optional<AgentHello> AgentSocket::receive() {
  for (std::size_t at = 0; at < silent_.size();) {
    AgentHello hello;
    const Said said = read_hello(silent_[at].get(), hello);
    if (said == Said::Nothing) {
      ++at;
      continue;
    }
    hello.connection = std::move(silent_[at]);
    silent_.erase(silent_.begin() + static_cast<std::ptrdiff_t>(at));
    if (said == Said::Hello) {
      return hello;
    }
  }
  for (;;) {
    base::Fd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid()) {
      if (errno == EINTR || errno == ECONNABORTED) {
        continue;
      }
      return std::nullopt;
    }
    AgentHello hello;
    const Said said = read_hello(connection.get(), hello);
    if (said == Said::Hello) {
      hello.connection = std::move(connection);
      return hello;
    }
    if (said == Said::Nothing) {
      if (silent_.size() >= kMostSilent) {
        silent_.erase(silent_.begin());
      }
      silent_.push_back(std::move(connection));
    }
  }
}

namespace {

// A user who may rename the folder could replace it. /tmp is sticky, so there nobody may.
bool is_own_folder(const char* path) {
  struct stat info {};
  constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
  return ::lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & kWritableByOthers) == 0;
}

}  // namespace

base::Result<SocketPlace> open_agent_socket() {
  const char* runtime =
      std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): no thread changes it
  const auto boot_mark = read_boot_mark();
  for (const char* parent : {runtime, "/tmp"}) {
    if (parent == nullptr || *parent != '/' || std::strlen(parent) > 60) continue;
    if (parent == runtime && !is_own_folder(parent)) continue;
    if (boot_mark) remove_dead_folders(parent, *boot_mark);
    auto folder = make_socket_folder(parent, boot_mark.value_or("unknown"));
    if (!folder) continue;
    auto socket = AgentSocket::bind(folder.value() + '/' + std::string(kSocketName));
    if (socket) return SocketPlace{std::move(folder).value(), std::move(socket).value()};
    std::error_code ignored;
    std::filesystem::remove_all(folder.value(), ignored);
  }
  return base::Error{base::ErrorCode::Io, "cannot create a folder for the agent socket in /tmp"};
}

}  // namespace lowtide::observe
