#include "serve/response.h"

#include <fmt/format.h>

#include <string_view>

namespace lowtide::serve {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

Response bare_response(int status) {
  Response response;
  response.status = status;
  response.body = fmt::format("{} {}\n", status, reason_of(status));
  if (status == 401) response.body += "use the URL that lowtide printed, or add its ?token=...\n";
  return response;
}

std::string to_bytes(const Response& response, bool head_only) {
  std::string out = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      // The URL contains the token: it must not reach another site or a cache.
      "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
      "Content-Security-Policy: {}\r\n",
      response.status, reason_of(response.status), response.type, response.body.size(), response.policy);
  if (response.status == 401) out += "WWW-Authenticate: Bearer\r\n";
  if (response.status == 405) out += "Allow: GET, HEAD\r\n";
  out += "\r\n";
  if (!head_only) out += response.body;
  return out;
}

}  // namespace lowtide::serve
