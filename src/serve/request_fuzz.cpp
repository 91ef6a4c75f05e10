// Any bytes as a request: no crash, no access without the token, no invisible character in the path.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "serve/accept.h"
#include "serve/access.h"
#include "serve/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace serve = lowtide::serve;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parsed = serve::parse_request(bytes);
  if (const auto* refused = std::get_if<serve::Refused>(&parsed)) {
    LOWTIDE_CHECK(refused->status >= 400 && refused->status < 600, "refused with an invalid status");
  }
  if (const auto* request = std::get_if<serve::Request>(&parsed)) {
    LOWTIDE_CHECK(request->path.starts_with('/'), "a path without a slash");
    const auto is_visible = [](char c) { return c > ' ' && c <= '~'; };
    LOWTIDE_CHECK(std::all_of(request->path.begin(), request->path.end(), is_visible), "an odd path");
    for (const std::string_view range : {"text/plain", "*/*", "application/openmetrics-text"}) {
      const auto quality = serve::find_quality(request->accept, range);
      LOWTIDE_CHECK(!quality || (*quality >= 0 && *quality <= 1), "a quality out of range");
    }
    const serve::Decision decision =
        serve::decide(*request, {.token = "0123456789abcdef", .is_loopback = true});
    LOWTIDE_CHECK(decision.status != 200 || decision.resource == serve::Resource::Metrics ||
                      request->token == "0123456789abcdef",
                  "access without the token");
  }
  return 0;
}
