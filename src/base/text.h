// Text from a target or a log is data: it never reaches a terminal, a page or a
// Markdown document uninterpreted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::base {

// Printable UTF-8 on one line: control bytes and escape sequences become '?',
// invalid UTF-8 becomes U+FFFD, direction overrides and invisible marks are dropped, and text that is
// longer than max_bytes is cut at a character and ends in "...".
std::string printable(std::string_view text, std::size_t max_bytes = 400);

// The JSON with its invisible characters (controls, direction overrides, other format marks) as \uXXXX. JSON
// itself escapes only those below U+0020, and `jq` and `cat` write the others to the terminal. The values are
// the same after parsing.
std::string escape_invisible(std::string json);

}  // namespace lowtide::base
