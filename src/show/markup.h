// Text as a part of HTML or XML: nothing in it is taken for markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::show {

// "&lt;" for '<'; empty for what needs none. Of &, <, >, " and '.
std::string_view entity_of(char c);

// Printable, on one line, with &, <, >, " and ' as entities: safe between tags and in a quoted attribute.
// What XML cannot hold at all, control bytes and invalid UTF-8, is replaced.
std::string markup_text(std::string_view text, std::size_t max_bytes = 1000);

// The same, with what stands in backticks as <code>.
std::string markup_sentence(std::string_view text, std::size_t max_bytes = 1000);

// The same as markup_text() line by line, for code.
std::string markup_lines(std::string_view text, std::size_t max_bytes = 2000);

// JSON for a <script> of data: a '<' could end the script or begin a comment in it.
std::string json_for_script(std::string json);

}  // namespace lowtide::show
