#pragma once

#include <string>

namespace lowtide::serve {

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  // What the body may load or run; a page that says so itself has more to say.
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
};

// A status with a line that says it.
Response bare_response(int status);

// All of it, ready to be sent; without the body where only the head was asked for. The connection ends with
// it.
std::string to_bytes(const Response& response, bool head_only);

}  // namespace lowtide::serve
