#include "serve/reachable.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "base/fd.h"

namespace lowtide::serve {
namespace {

// Addresses for documentation (RFC 5737, RFC 3849): they belong to nobody. To connect a datagram socket only
// chooses the route and, with it, the address of this machine.
constexpr const char* kElsewhere4 = "192.0.2.1";
constexpr const char* kElsewhere6 = "2001:db8::1";
constexpr std::uint16_t kAnyPort = 9;

std::string find_source_4() {
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(kAnyPort);
  ::inet_pton(AF_INET, kElsewhere4, &there.sin_addr);
  const base::Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{};
  socklen_t length = sizeof here;
  std::array<char, INET_ADDRSTRLEN> text{};
  if (!fd.valid() || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&here), &length) != 0 ||
      ::inet_ntop(AF_INET, &here.sin_addr, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

// A link-local address (fe80::/10) needs the name of an interface, which is different on the other machine.
bool is_link_local(const in6_addr& address) {
  std::array<std::uint8_t, sizeof address> bytes{};
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80U;
}

std::string find_source_6() {
  sockaddr_in6 there{};
  there.sin6_family = AF_INET6;
  there.sin6_port = htons(kAnyPort);
  ::inet_pton(AF_INET6, kElsewhere6, &there.sin6_addr);
  const base::Fd fd(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 here{};
  socklen_t length = sizeof here;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!fd.valid() || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&here), &length) != 0 ||
      is_link_local(here.sin6_addr) ||
      ::inet_ntop(AF_INET6, &here.sin6_addr, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

}  // namespace

std::string find_reachable_address(const std::string& listening) {
  in_addr four{};
  if (::inet_pton(AF_INET, listening.c_str(), &four) == 1 && four.s_addr == INADDR_ANY) {
    const std::string source = find_source_4();
    return source.empty() ? "127.0.0.1" : source;
  }
  in6_addr six{};
  if (::inet_pton(AF_INET6, listening.c_str(), &six) == 1 &&
      std::memcmp(&six, &in6addr_any, sizeof six) == 0) {
    const std::string source = find_source_6();
    return source.empty() ? "::1" : source;
  }
  return listening;
}

}  // namespace lowtide::serve
