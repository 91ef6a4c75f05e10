#include "attach/report_socket.h"

#include <poll.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace lowtide::attach {

namespace {

// Owner and mode come with the making. By its path afterwards, in a folder that is another user's, they could
// become those of whatever he has put there meanwhile.
bool make_for(int socket, const sockaddr_un& address, uid_t uid) {
  if (::fchmod(socket, S_IRUSR | S_IWUSR) != 0) {
    return false;
  }
  const uid_t own = ::geteuid();
  ::setfsuid(uid);
  const bool is_bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const int error = errno;
  ::setfsuid(own);
  errno = error;
  return is_bound;
}

const char* name_of(const std::string& path) {
  return path.c_str() + path.rfind('/') + 1;
}

}  // namespace

base::Result<ReportSocket> ReportSocket::bind(std::string path, uid_t uid, base::Fd folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // By the descriptor: the target's path may lead elsewhere for us.
  const std::string here = "/proc/self/fd/" + std::to_string(folder.get()) + '/' + name_of(path);
  if (path.empty() || std::max(path.size(), here.size()) >= sizeof(address.sun_path)) {
    return base::Error{base::ErrorCode::Unsupported, "the path of the socket is too long: " + path};
  }
  std::memcpy(address.sun_path, here.c_str(), here.size() + 1);
  base::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  ::unlinkat(folder.get(), name_of(path), 0);
  if (!socket.valid() || ::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0 ||
      !make_for(socket.get(), address, uid)) {
    return base::Error{base::ErrorCode::Io, "create the socket " + path + ": " + std::strerror(errno)};
  }
  return ReportSocket(std::move(socket), std::move(path), std::move(folder));
}

ReportSocket::~ReportSocket() {
  if (socket_.valid()) {
    ::unlinkat(folder_.get(), name_of(path_), 0);
  }
}

std::optional<StubReport> ReportSocket::receive(pid_t pid, std::uint64_t token) const {
  for (;;) {
    StubReport report{};
    iovec part{&report, sizeof(report)};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(ucred))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t received = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) {
      continue;
    }
    if (received < 0) {
      return std::nullopt;
    }
    ucred sender{};
    const cmsghdr* rights = CMSG_FIRSTHDR(&message);
    if (rights != nullptr && rights->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&sender, CMSG_DATA(rights), sizeof(sender));
    }
    report.reason[sizeof(report.reason) - 1] = 0;
    if (received == sizeof(report) && sender.pid == pid && report.token == token) {
      return report;
    }
  }
}

std::optional<StubReport> ReportSocket::wait(pid_t pid, std::uint64_t token,
                                             std::chrono::milliseconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (auto report = receive(pid, token)) {
      return report;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    // In small steps: the target may end, and then nobody answers.
    if (left.count() <= 0 || ::kill(pid, 0) != 0) {
      return std::nullopt;
    }
    pollfd waiting{socket_.get(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 50)));
  }
}

}  // namespace lowtide::attach
