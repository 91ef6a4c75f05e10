// The request of a client, in HTTP/1.1. A client can send anything: bytes that are not a well-formed request
// are refused, and nothing is guessed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace lowtide::serve {

enum class Method { Get, Head, Other };

struct Request {
  Method method = Method::Get;
  std::string path = {};    // without the query; begins with '/'
  std::string token = {};   // from the query, or from `Authorization: Bearer`; empty: none
  std::string host = {};    // as it was sent, with its port
  std::string accept = {};  // the media ranges as they were sent; empty: none
};

struct Incomplete {};

struct Refused {
  int status = 400;
};

inline constexpr std::size_t kMostRequestBytes = 8192;

// `bytes`: everything that has been received. A request that announces a body is refused.
std::variant<Request, Incomplete, Refused> parse_request(std::string_view bytes);

}  // namespace lowtide::serve
