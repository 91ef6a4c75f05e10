// The whole screen as rows of text, for a terminal of any size. Independent of any terminal.
#pragma once

#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

struct LayoutOptions {
  Size size = {};
  bool unicode = true;
  bool is_child = false;  // lowtide started the job
};

// Exactly size.rows rows, none wider than size.columns. Stores in `display` how far each list can be
// scrolled.
std::vector<Row> lay_out(const View& view, Display& display, const LayoutOptions& options);

}  // namespace lowtide::screen
