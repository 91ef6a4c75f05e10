// Text from a target or a log is data: it never reaches a terminal, a page or a
// Markdown document uninterpreted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::base {

// Printable UTF-8 on one line: control bytes and escape sequences become '?',
// invalid UTF-8 becomes U+FFFD, direction overrides are dropped, and what is
// longer than max_bytes is cut at a character and ends in "...".
std::string printable(std::string_view text, std::size_t max_bytes = 400);

}  // namespace lowtide::base
