#include "serve/access.h"

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lowtide::serve {
namespace {

// Takes the same time wherever they differ.
bool are_same(std::string_view given, std::string_view secret) {
  if (secret.empty() || given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t at = 0; at < secret.size(); ++at) {
    difference |= static_cast<unsigned>(static_cast<std::uint8_t>(given[at])) ^
                  static_cast<unsigned>(static_cast<std::uint8_t>(secret[at]));
  }
  return difference == 0;
}

bool is_own_name(std::string_view host) {
  if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']'))
    host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

std::optional<Resource> find_resource(std::string_view path) {
  if (path == "/") return Resource::Page;
  if (path == "/report.json") return Resource::Report;
  if (path == "/metrics") return Resource::Metrics;
  return std::nullopt;
}

}  // namespace

Decision decide(const Request& request, const Gate& gate) {
  if (request.method == Method::Other) return {405};
  if (gate.is_loopback && !is_own_name(request.host)) return {421};
  const auto resource = find_resource(request.path);
  const bool is_open = resource == Resource::Metrics && gate.is_loopback;
  // A client without the token does not learn which paths exist.
  if (!is_open && !are_same(request.token, gate.token)) return {401};
  if (!resource) return {404};
  return {200, *resource};
}

std::string make_token() {
  std::array<std::uint8_t, 16> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) return {};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (const std::uint8_t byte : random) {
    token += kDigits[byte >> 4U];
    token += kDigits[byte & 15U];
  }
  return token;
}

}  // namespace lowtide::serve
