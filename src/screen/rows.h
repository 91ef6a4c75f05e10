// Rows of text with their roles: the layout makes them, the terminal draws them.
#pragma once

#include <cstddef>
#include <string>

#include "show/terminal/paint.h"

namespace lowtide::screen {

struct Size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

struct Row {
  show::Line pieces = {};
  bool is_bar = false;  // across the whole width, in reverse
};

Row plain_row(std::string text);
Row role_row(show::Role role, std::string text);

// Cut to `columns`. Without Unicode, each character outside of ASCII becomes a '?'.
Row fitted(Row row, std::size_t columns, bool unicode);

// The text alone, for tests.
std::string text_of(const Row& row);

}  // namespace lowtide::screen
