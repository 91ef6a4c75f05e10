#pragma once

#include <string>

namespace lowtide::serve {

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  // Content-Security-Policy: what the body may load or run. The page has a policy of its own.
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
};

// A response whose body is only the status.
Response bare_response(int status);

// The whole response; without the body for HEAD. The connection is closed after it.
std::string to_bytes(const Response& response, bool head_only);

}  // namespace lowtide::serve
