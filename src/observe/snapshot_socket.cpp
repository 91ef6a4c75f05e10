#include "observe/snapshot_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "observe/snapshot_records.h"
#include "observe/socket_folder.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

using Clock = std::chrono::steady_clock;

// True when something is there to read, or the other end is gone.
bool wait_for(int fd, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited{fd, POLLIN, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(std::min<long>(left, 1000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// The walk's file, which comes with its greeting; none where it is not one.
base::Fd take_file(int connection) {
  wire::SnapshotHello hello{};
  iovec part{&hello, sizeof(hello)};
  alignas(cmsghdr) std::byte control[CMSG_SPACE(4 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t received = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  base::Fd file;
  for (cmsghdr* said = received < 0 ? nullptr : CMSG_FIRSTHDR(&message); said != nullptr;
       said = CMSG_NXTHDR(&message, said)) {
    if (said->cmsg_level != SOL_SOCKET || said->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at < (said->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++at) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(said) + at * sizeof(int), sizeof(int));
      file = base::Fd(fd);
    }
  }
  if (received != sizeof(hello) || hello.magic != wire::kSnapshotMagic ||
      hello.version != wire::kSnapshotVersion) {
    return {};
  }
  return file;
}

// By read and not by map: the other side could cut a mapped file short under us.
std::vector<std::byte> read_file(int fd) {
  wire::SnapshotHeader header{};
  if (::pread(fd, &header, sizeof(header), 0) != sizeof(header)) return {};
  std::vector<std::byte> bytes(std::min(header.used_bytes, wire::kMaxSnapshotBytes));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

base::Error failure(std::string message) {
  return {base::ErrorCode::Io, std::move(message)};
}

}  // namespace

base::Result<SnapshotSocket> SnapshotSocket::open() {
  auto place = open_agent_socket();
  if (!place) return std::move(place).error();
  return SnapshotSocket(std::move(place).value());
}

SnapshotSocket::SnapshotSocket(SnapshotSocket&& other) noexcept
    : place_{std::exchange(other.place_.folder, {}), std::move(other.place_.socket)} {}

SnapshotSocket::~SnapshotSocket() {
  std::error_code ignored;
  if (!place_.folder.empty()) std::filesystem::remove_all(place_.folder, ignored);
}

std::string SnapshotSocket::path() const {
  return place_.folder + '/' + std::string(kSocketName);
}

base::Result<model::Snapshot> SnapshotSocket::receive(std::chrono::milliseconds to_come,
                                                      std::chrono::milliseconds to_end) {
  if (!wait_for(place_.socket.fd(), Clock::now() + to_come))
    return failure("the child that walks did not come");
  const base::Fd connection(::accept4(place_.socket.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  const auto until = Clock::now() + to_end;
  if (!connection.valid() || !wait_for(connection.get(), until))
    return failure("the child that walks said nothing");
  const base::Fd file = take_file(connection.get());
  if (!file.valid()) return base::Error{base::ErrorCode::Malformed, "what came is not a walk"};
  // It says nothing more: what ends the waiting is its own end.
  wait_for(connection.get(), until);
  return parse_snapshot(read_file(file.get()));
}

}  // namespace lowtide::observe
