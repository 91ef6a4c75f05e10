#include "serve/server.h"
#include "base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <variant>

namespace lowtide::serve {
namespace {

constexpr std::size_t kMostClients = 64;
constexpr double kPatienceS = 5;

struct Place {
  sockaddr_storage address{};
  socklen_t length = 0;
  bool is_loopback = false;
};

base::Result<Place> parse_place(const std::string& text, std::uint16_t port) {
  Place place;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    place.is_loopback = (ntohl(four.sin_addr.s_addr) >> 24U) == 127;
    place.length = sizeof four;
    std::memcpy(&place.address, &four, sizeof four);
    return place;
  }
  if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    place.is_loopback = std::memcmp(&six.sin6_addr, &in6addr_loopback, sizeof in6addr_loopback) == 0;
    place.length = sizeof six;
    std::memcpy(&place.address, &six, sizeof six);
    return place;
  }
  return base::Error{base::ErrorCode::Malformed, "'" + text + "' is not an IP address"};
}

std::uint16_t port_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (address.ss_family == AF_INET) {
    std::memcpy(&four, &address, sizeof four);
    return ntohs(four.sin_port);
  }
  std::memcpy(&six, &address, sizeof six);
  return ntohs(six.sin6_port);
}

}  // namespace

Server::Server(base::Fd listener, std::uint16_t port, bool is_loopback)
    : listener_(std::move(listener)), port_(port), is_loopback_(is_loopback) {}

base::Result<Server> Server::listen(const std::string& address, std::uint16_t port) {
  const auto place = parse_place(address, port);
  if (!place) return place.error();
  base::Fd fd(::socket(place.value().address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (fd.valid()) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!fd.valid() ||
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&place.value().address), place.value().length) !=
          0 ||
      ::listen(fd.get(), kMostClients) != 0) {
    return base::Error{errno == EACCES ? base::ErrorCode::Denied : base::ErrorCode::Io, std::strerror(errno)};
  }
  const std::uint16_t given = port_of(fd.get());
  return Server(std::move(fd), given, place.value().is_loopback);
}

// While there are too many clients, new ones wait in the kernel's queue.
void Server::accept_client() {
  base::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd.valid()) clients_.push_back({.fd = std::move(fd), .until_s = base::steady_seconds() + kPatienceS});
}

bool Server::receive(Client& client, const std::function<Response(const Request&)>& answer) {
  std::array<char, 4096> piece{};
  const ssize_t got = ::recv(client.fd.get(), piece.data(), piece.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  client.in.append(piece.data(), static_cast<std::size_t>(got));
  const auto parsed = parse_request(client.in);
  if (std::holds_alternative<Incomplete>(parsed)) return true;
  if (const auto* refused = std::get_if<Refused>(&parsed)) {
    client.out = to_bytes(bare_response(refused->status), false);
  } else {
    const auto& request = std::get<Request>(parsed);
    client.out = to_bytes(answer(request), request.method == Method::Head);
  }
  client.until_s = base::steady_seconds() + kPatienceS;
  return send_rest(client);
}

bool Server::send_rest(Client& client) {
  while (client.sent < client.out.size()) {
    const ssize_t wrote = ::send(client.fd.get(), client.out.data() + client.sent,
                                 client.out.size() - client.sent, MSG_NOSIGNAL);
    if (wrote < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<std::size_t>(wrote);
    client.until_s = base::steady_seconds() + kPatienceS;
  }
  // Unread bytes would turn the close into a reset, and the client could lose the answer.
  ::shutdown(client.fd.get(), SHUT_WR);
  std::array<char, 4096> rest{};
  while (::recv(client.fd.get(), rest.data(), rest.size(), 0) > 0) {
  }
  return false;
}

void Server::run(int stop_fd, const std::function<Response(const Request&)>& answer) {
  constexpr int kPollMs = 1000;
  constexpr std::size_t kOwnFiles = 2;
  std::vector<pollfd> files;
  while (true) {
    const bool has_room = clients_.size() < kMostClients;
    files.assign({{.fd = stop_fd, .events = POLLIN, .revents = 0},
                  {.fd = has_room ? listener_.get() : -1, .events = POLLIN, .revents = 0}});
    for (const Client& client : clients_) {
      const auto events = static_cast<short>(client.is_answered() ? POLLOUT : POLLIN);
      files.push_back({.fd = client.fd.get(), .events = events, .revents = 0});
    }
    if (::poll(files.data(), files.size(), clients_.empty() ? -1 : kPollMs) < 0 && errno != EINTR) return;
    if (files[0].revents != 0) return;
    for (std::size_t at = 0; at < clients_.size(); ++at) {
      if (files[kOwnFiles + at].revents == 0) continue;
      Client& client = clients_[at];
      const bool goes_on = client.is_answered() ? send_rest(client) : receive(client, answer);
      if (!goes_on) client.fd.reset();
    }
    const double now = base::steady_seconds();
    std::erase_if(clients_,
                  [now](const Client& client) { return !client.fd.valid() || now > client.until_s; });
    if (files[1].revents != 0) accept_client();
  }
}

}  // namespace lowtide::serve
