// Content negotiation, as much as two formats of one resource need (RFC 9110, section 12.5.1).
#pragma once

#include <optional>
#include <string_view>

namespace lowtide::serve {

// The quality, 0 to 1, that an Accept header gives to exactly this media range, such as "text/plain" or
// "*/*". Parameters other than `q` are ignored. The highest one counts if the range is listed twice; nullopt
// if it is not listed.
std::optional<double> find_quality(std::string_view accept, std::string_view range);

// True if the client asks for `type` by name and wants it at least as much as text/plain. A wildcard is not
// enough: a client that takes anything gets text/plain, as from other exporters.
bool prefers_over_plain_text(std::string_view accept, std::string_view type);

}  // namespace lowtide::serve
