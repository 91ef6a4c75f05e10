// The lists below the plot. Each has one row of headings and its lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

struct PaneText {
  std::string heading;    // the column headings; the last one names the list
  std::string note = {};  // to the right of the heading
  std::vector<std::string> lines = {};
  std::vector<std::string> ids = {};  // one per line; empty: lines of this list cannot be selected
  std::string if_empty = {};
};

// The lines that contain the filter, in the order that the display asks for.
PaneText pane_text(const View& view, const Display& display, Pane pane);

// What identifies a line, also when its values have changed.
std::string id_of(const ProcessLine& line);
std::string id_of(const SiteLine& line);
std::string id_of(const HolderLine& line);

// The texts of cells: "+1.24 GB" or "-", "+150 MB/min", "97%".
std::string growth_text(std::int64_t bytes);
std::string rate_text(const std::optional<double>& bytes_per_s);
std::string cpu_text(const std::optional<double>& share);

// The lists of this view, from top to bottom.
std::vector<Pane> panes_of(const View& view);

// The heading and the visible lines: exactly `rows` rows, at least one. Stores in `display` how far the list
// can be scrolled, and corrects a scroll position that is too large.
std::vector<Row> pane_rows(const PaneText& text, Pane pane, Display& display, std::size_t rows);

}  // namespace lowtide::screen
