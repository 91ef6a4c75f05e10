// Text in columns: width as a terminal shows it, padding, cutting, wrapping.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::show {

// Columns that UTF-8 text takes on a terminal: wide East Asian characters and
// emoji take two, combining marks none.
std::size_t display_width(std::string_view text);

// Filled with spaces to `width` columns, on the right or on the left; longer text stays as it is.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// At most `width` columns; what was longer ends in "...".
std::string cut(std::string_view text, std::size_t width);

// Broken at spaces into lines of at most `width` columns; a word that is longer is cut in pieces.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Rows of cells as lines: columns as wide as their widest cell, two spaces
// between them, and the last cell of each row wrapped into what is left of
// `width`. No cell but the last may be wider than `widest`; it is cut.
std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows, std::size_t width,
                               std::size_t widest = 28);

}  // namespace lowtide::show
