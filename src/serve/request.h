// What a client asked, in HTTP/1.1. Whoever can reach the port can send anything: what is not plainly a
// request is refused, and nothing is guessed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace lowtide::serve {

enum class Method { Get, Head, Other };

struct Request {
  Method method = Method::Get;
  std::string path = {};   // without the query; begins with '/'
  std::string token = {};  // of the query, or of an `Authorization: Bearer`; empty: none
  std::string host = {};   // as it was sent, with its port
};

struct Incomplete {};

struct Refused {
  int status = 400;
};

inline constexpr std::size_t kMostRequestBytes = 8192;

// `bytes` is what has come so far. A body is never wanted: a request that announces one is refused.
std::variant<Request, Incomplete, Refused> parse_request(std::string_view bytes);

}  // namespace lowtide::serve
