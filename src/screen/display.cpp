#include "screen/display.h"

#include <algorithm>

namespace lowtide::screen {
namespace {

constexpr std::array<std::string_view, 5> kOrderNames{"growth", "memory", "rate", "cpu", "pid"};
constexpr std::size_t kMostFilterBytes = 60;
constexpr std::size_t kWheelLines = 3;

Order next_order(Order order) {
  return static_cast<Order>((static_cast<std::size_t>(order) + 1) % kOrderNames.size());
}

Pane next_pane(Pane pane, bool has_output) {
  return static_cast<Pane>((static_cast<std::size_t>(pane) + 1) % (has_output ? kPanes : kPanes - 1));
}

// Where a key leads from `at`, between 0 and `last`.
std::size_t moved(std::size_t at, std::size_t last, std::size_t page, Key key) {
  switch (key) {
    case Key::Up:
      return at - std::min<std::size_t>(at, 1);
    case Key::PageUp:
      return at - std::min(at, page);
    case Key::First:
      return 0;
    case Key::Down:
      return std::min(at + 1, last);
    case Key::PageDown:
      return std::min(at + page, last);
    default:
      return last;
  }
}

void select_line(PaneState& pane, std::size_t line) {
  pane.selected = pane.ids[line];
  if (line < pane.scroll) pane.scroll = line;
  if (line >= pane.scroll + pane.page_rows && pane.page_rows > 0) pane.scroll = line + 1 - pane.page_rows;
}

// Moves the selection, or scrolls where lines cannot be selected.
void move_selection(PaneState& pane, Key key) {
  const std::size_t page = std::max<std::size_t>(pane.page_rows, 1);
  if (pane.ids.empty()) {
    pane.scroll = moved(pane.scroll, pane.last_scroll, page, key);
    return;
  }
  const auto selected = find_selected(pane);
  const bool is_step = key == Key::Up || key == Key::Down;
  const std::size_t first = std::min(pane.scroll, pane.ids.size() - 1);
  select_line(pane,
              !selected && is_step ? first : moved(selected.value_or(first), pane.ids.size() - 1, page, key));
}

void open_detail(Display& display) {
  PaneState& pane = display.focused();
  if (pane.ids.empty()) return;
  if (!find_selected(pane)) select_line(pane, std::min(pane.scroll, pane.ids.size() - 1));
  display.shows_detail = true;
}

ScreenAction handle_key_in_filter(Display& display, const KeyPress& press) {
  switch (press.key) {
    case Key::Character:
      if (display.filter.size() < kMostFilterBytes) display.filter += press.character;
      break;
    case Key::Erase:
      if (!display.filter.empty()) display.filter.pop_back();
      break;
    case Key::Open:
      display.edits_filter = false;
      break;
    case Key::Close:
      display.edits_filter = false;
      display.filter.clear();
      break;
    default:
      return press.key == Key::Redraw ? ScreenAction::Redraw : ScreenAction::None;
  }
  return ScreenAction::None;
}

// The list at this row of the screen; null between lists.
PaneState* find_pane(Display& display, std::size_t row) {
  for (std::size_t at = 0; at < kPanes; ++at) {
    PaneState& pane = display.panes[at];
    const bool is_hit =
        pane.page_rows > 0 && row + 1 >= pane.first_row && row < pane.first_row + pane.page_rows;
    if (is_hit) return &pane;
  }
  return nullptr;
}

void click(Display& display, std::size_t row) {
  PaneState* const pane = find_pane(display, row);
  if (pane == nullptr) return;
  display.focus = static_cast<Pane>(pane - display.panes.data());
  const std::size_t line = pane->scroll + row - std::min(row, pane->first_row);
  if (row < pane->first_row || line >= pane->ids.size()) return;
  const bool was_selected = pane->selected == pane->ids[line];
  select_line(*pane, line);
  display.shows_detail = was_selected;
}

void turn_wheel(Display& display, std::size_t row, Key key) {
  PaneState* const pane = find_pane(display, row);
  if (pane == nullptr) return;
  pane->scroll = key == Key::WheelUp ? pane->scroll - std::min(pane->scroll, kWheelLines)
                                     : std::min(pane->scroll + kWheelLines, pane->last_scroll);
}

}  // namespace

std::string_view to_string(Order order) {
  return kOrderNames[static_cast<std::size_t>(order)];
}

std::optional<std::size_t> find_selected(const PaneState& pane) {
  const auto found = std::find(pane.ids.begin(), pane.ids.end(), pane.selected);
  if (found == pane.ids.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pane.ids.begin());
}

ScreenAction handle_key(Display& display, const KeyPress& press, bool has_output) {
  display.notice.clear();
  if (press.key == Key::Redraw) return ScreenAction::Redraw;
  if (display.edits_filter) return handle_key_in_filter(display, press);
  if (display.shows_help || display.shows_detail) {
    display.shows_help = false;
    display.shows_detail = false;
    return ScreenAction::None;
  }
  switch (press.key) {
    case Key::Quit:
      return ScreenAction::Quit;
    case Key::Snapshot:
      return ScreenAction::Snapshot;
    case Key::Help:
      display.shows_help = true;
      break;
    case Key::Pause:
      display.is_paused = !display.is_paused;
      break;
    case Key::Sort:
      display.order = next_order(display.order);
      break;
    case Key::NextPane:
      display.focus = next_pane(display.focus, has_output);
      break;
    case Key::Filter:
      display.edits_filter = true;
      break;
    case Key::Open:
      open_detail(display);
      break;
    case Key::Close:
      display.filter.clear();
      break;
    case Key::Up:
    case Key::Down:
    case Key::PageUp:
    case Key::PageDown:
    case Key::First:
    case Key::Last:
      move_selection(display.focused(), press.key);
      break;
    case Key::Click:
      click(display, press.row);
      break;
    case Key::WheelUp:
    case Key::WheelDown:
      turn_wheel(display, press.row, press.key);
      break;
    case Key::Redraw:
    case Key::Character:
    case Key::Erase:
      break;
  }
  return ScreenAction::None;
}

}  // namespace lowtide::screen
