#include "screen/display.h"

#include <algorithm>

namespace lowtide::screen {
namespace {

constexpr std::array<std::string_view, 5> kOrderNames{"growth", "memory", "rate", "cpu", "pid"};

Order next_order(Order order) {
  return static_cast<Order>((static_cast<std::size_t>(order) + 1) % kOrderNames.size());
}

Pane next_pane(Pane pane, bool has_output) {
  return static_cast<Pane>((static_cast<std::size_t>(pane) + 1) % (has_output ? kPanes : kPanes - 1));
}

void scroll(Display& display, Key key) {
  std::size_t& at = display.scroll[display.focused()];
  const std::size_t last = display.last_scroll[display.focused()];
  const std::size_t page = std::max<std::size_t>(display.page_rows[display.focused()], 1);
  switch (key) {
    case Key::Up:
      at -= std::min<std::size_t>(at, 1);
      break;
    case Key::PageUp:
      at -= std::min(at, page);
      break;
    case Key::First:
      at = 0;
      break;
    case Key::Down:
      at = std::min(at + 1, last);
      break;
    case Key::PageDown:
      at = std::min(at + page, last);
      break;
    default:
      at = last;
      break;
  }
}

ScreenAction press_in_help(Display& display, Key key) {
  if (key == Key::Redraw) return ScreenAction::Redraw;
  display.shows_help = false;
  return ScreenAction::None;
}

}  // namespace

std::string_view to_string(Order order) {
  return kOrderNames[static_cast<std::size_t>(order)];
}

ScreenAction handle_key(Display& display, Key key, bool has_output) {
  display.notice.clear();
  if (display.shows_help) return press_in_help(display, key);
  switch (key) {
    case Key::Quit:
      return ScreenAction::Quit;
    case Key::Look:
      return ScreenAction::Look;
    case Key::Redraw:
      return ScreenAction::Redraw;
    case Key::Help:
      display.shows_help = true;
      return ScreenAction::None;
    case Key::Pause:
      display.is_paused = !display.is_paused;
      return ScreenAction::None;
    case Key::Sort:
      display.order = next_order(display.order);
      return ScreenAction::None;
    case Key::NextPane:
      display.focus = next_pane(display.focus, has_output);
      return ScreenAction::None;
    case Key::Close:
      return ScreenAction::None;
    case Key::Up:
    case Key::Down:
    case Key::PageUp:
    case Key::PageDown:
    case Key::First:
    case Key::Last:
      scroll(display, key);
      return ScreenAction::None;
  }
  return ScreenAction::None;
}

}  // namespace lowtide::screen
