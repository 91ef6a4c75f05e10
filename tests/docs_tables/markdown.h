#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::docs {

std::string code(std::string_view text);                            // `text`
std::string code_list(const std::vector<std::string_view>& texts);  // `a`, `b`, `c`

std::string capitalized(std::string_view text);

// A Markdown table; the first row is its head.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace lowtide::docs
