#include "serve/reachable.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

#include "base/fd.h"

namespace lowtide::serve {
namespace {

// Addresses for documentation (RFC 5737, RFC 3849): they belong to nobody. To connect a datagram socket only
// chooses the route and, with it, the address of this machine.
constexpr const char* kElsewhere4 = "192.0.2.1";
constexpr const char* kElsewhere6 = "2001:db8::1";

// The address of this machine on the route to `elsewhere`; empty without a route.
std::string find_source(const char* elsewhere) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(elsewhere, "9", &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> there(found, &::freeaddrinfo);

  const base::Fd fd(::socket(there->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage here{};
  socklen_t length = sizeof here;
  std::array<char, NI_MAXHOST> text{};
  if (!fd.valid() || ::connect(fd.get(), there->ai_addr, there->ai_addrlen) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&here), &length) != 0 ||
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&here), length, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
    return {};
  }
  // A link-local address ("fe80::1%eth0") names an interface, which is different on the other machine.
  std::string address = text.data();
  return address.find('%') == std::string::npos ? address : std::string();
}

}  // namespace

std::string find_reachable_address(const std::string& listening) {
  in_addr four{};
  if (::inet_pton(AF_INET, listening.c_str(), &four) == 1 && four.s_addr == INADDR_ANY) {
    const std::string source = find_source(kElsewhere4);
    return source.empty() ? "127.0.0.1" : source;
  }
  in6_addr six{};
  if (::inet_pton(AF_INET6, listening.c_str(), &six) == 1 &&
      std::memcmp(&six, &in6addr_any, sizeof six) == 0) {
    const std::string source = find_source(kElsewhere6);
    return source.empty() ? "::1" : source;
  }
  return listening;
}

}  // namespace lowtide::serve
