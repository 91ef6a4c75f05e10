#include "screen/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "screen/detail_rows.h"
#include "screen/head_rows.h"
#include "screen/help_rows.h"
#include "screen/panes.h"
#include "show/terminal/layout.h"

namespace lowtide::screen {
namespace {

constexpr std::size_t kBars = 2;       // title and footer
constexpr std::size_t kLeastPane = 2;  // heading and one line
constexpr std::size_t kMostPlot = 20;
constexpr std::size_t kRoomForPlot = 10;

Row footer_row(const Display& display, bool is_child, std::size_t columns) {
  std::string text = display.notice;
  if (text.empty()) {
    text = is_child ? "q close  " : "q detach  ";
    if (!display.filter.empty()) text += fmt::format("filter: {} (Esc clears it)  ", display.filter);
    text += fmt::format("s sort: {}  Enter detail  / filter  n snapshot  Tab list  h help",
                        to_string(display.order));
  }
  if (display.edits_filter) text = fmt::format("filter: {}_  Enter keeps it, Esc clears it", display.filter);
  if (display.shows_help || display.shows_detail) text = "press any key to go back";
  Row row = plain_row(show::pad_right(show::cut(" " + text, columns), columns));
  row.is_bar = true;
  return row;
}

// Divides the rows between the lists. Every list gets its minimum while there is room, the active list first.
// Then the active list gets what it needs, and the others take turns.
std::vector<std::size_t> divide(const std::vector<std::size_t>& wanted, std::size_t focus, std::size_t room) {
  std::vector<std::size_t> given(wanted.size(), 0);
  const auto give = [&](std::size_t at, std::size_t rows) {
    const std::size_t more = std::min(rows, room);
    given[at] += more;
    room -= more;
  };
  if (room < kLeastPane) return given;
  give(focus, kLeastPane);
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (at != focus && room >= kLeastPane) give(at, kLeastPane);
  }
  const auto lacks = [&](std::size_t at) { return given[at] > 0 && given[at] < wanted[at]; };
  // While other lists lack room too, the active list takes at most half of the rest.
  const std::size_t half = (room + 1) / 2;
  if (lacks(focus)) give(focus, std::min(wanted[focus] - given[focus], half));
  for (bool gave = true; gave && room > 0;) {
    gave = false;
    for (std::size_t at = 0; at < wanted.size() && room > 0; ++at) {
      if (!lacks(at)) continue;
      give(at, 1);
      gave = true;
    }
  }
  return given;
}

void add_panes(std::vector<Row>& out, const View& view, Display& display, std::size_t room) {
  const std::vector<Pane> panes = panes_of(view);
  std::vector<PaneText> texts;
  std::vector<std::size_t> wanted;
  std::size_t focus = 0;
  for (std::size_t at = 0; at < panes.size(); ++at) {
    texts.push_back(pane_text(view, display, panes[at]));
    wanted.push_back(1 + std::max<std::size_t>(texts.back().lines.size(), 1));
    if (panes[at] == display.focus) focus = at;
  }
  const std::vector<std::size_t> given = divide(wanted, focus, room);
  for (PaneState& state : display.panes) state.page_rows = 0;  // not on the screen
  for (std::size_t at = 0; at < panes.size(); ++at) {
    if (given[at] == 0) continue;
    display.pane(panes[at]).first_row = out.size() + 1;
    for (Row& row : pane_rows(texts[at], panes[at], display, given[at])) out.push_back(std::move(row));
  }
}

void add_body(std::vector<Row>& out, const View& view, Display& display, const LayoutOptions& options,
              std::size_t room) {
  const std::size_t columns = options.size.columns;
  const std::size_t until = out.size() + room;
  constexpr std::size_t kMostVerdict = 5;
  for (Row& row : verdict_rows(view, columns, std::min(room, kMostVerdict))) out.push_back(std::move(row));
  std::size_t left = until - out.size();
  if (left >= kRoomForPlot) {
    const std::size_t rows = std::min(left * 2 / 5 + 1, kMostPlot);
    for (Row& row : plot_rows(view, columns, rows, options.unicode)) out.push_back(std::move(row));
    left = until - out.size();
  }
  add_panes(out, view, display, left);
}

}  // namespace

std::vector<Row> lay_out(const View& view, Display& display, const LayoutOptions& options) {
  const auto [columns, rows] = options.size;
  std::vector<Row> out;
  if (rows > 0) out.push_back(title_row(view, display, columns));
  const std::size_t room = rows > kBars ? rows - kBars : 0;
  if (display.shows_help || display.shows_detail) {
    const bool is_help = display.shows_help;
    for (Row& row :
         is_help ? help_rows(view, options.is_child, columns) : detail_rows(view, display, columns)) {
      if (out.size() <= room) out.push_back(std::move(row));
    }
  } else if (room > 0) {
    add_body(out, view, display, options, room);
  }
  if (rows > 1) {
    out.resize(rows - 1);
    out.push_back(footer_row(display, options.is_child, columns));
  }
  out.resize(rows);
  for (Row& row : out) row = fitted(std::move(row), columns, options.unicode);
  return out;
}

}  // namespace lowtide::screen
