// The lists below the plot, each as one row of headings and its lines.
#pragma once

#include <string>
#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

struct PaneText {
  std::string heading;    // of the columns; the last one names the list
  std::string note = {};  // beside it
  std::vector<std::string> lines = {};
  std::string if_empty = {};
};

// In the order of the display; `unicode` decides nothing here but what is cut.
PaneText pane_text(const View& view, const Display& display, Pane pane);

// The panes that the view has, in the order in which they stand.
std::vector<Pane> panes_of(const View& view);

// The heading, and the lines that are scrolled to: exactly `rows`, of which there is at least one. Notes in
// `display` how far it can be scrolled, and mends a scroll that is beyond that.
std::vector<Row> pane_rows(const PaneText& text, Pane pane, Display& display, std::size_t rows);

}  // namespace lowtide::screen
