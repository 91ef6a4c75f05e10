// The whole screen as rows of text, for a terminal of any size. Knows no terminal.
#pragma once

#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

struct LayoutOptions {
  Size size = {};
  bool unicode = true;
  bool is_child = false;  // the job was started by us
};

// Exactly size.rows rows, none wider than size.columns. Notes in `display` how far lists can be scrolled.
std::vector<Row> lay_out(const View& view, Display& display, const LayoutOptions& options);

}  // namespace lowtide::screen
