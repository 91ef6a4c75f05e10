// What the user has chosen to see: the active list, the order, the selected line, the filter. And what each
// key changes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::screen {

enum class Pane { Processes, Sites, Holders, Output };
inline constexpr std::size_t kPanes = 4;

enum class Order { Growth, Memory, Rate, Cpu, Pid };

std::string_view to_string(Order order);

enum class Key {
  Quit,
  Close,
  Open,
  Sort,
  Pause,
  Help,
  Snapshot,
  Filter,
  NextPane,
  Up,
  Down,
  PageUp,
  PageDown,
  First,
  Last,
  Redraw,
  Character,  // of the filter; only while it is typed
  Erase,
  Click,
  WheelUp,
  WheelDown
};

struct KeyPress {
  Key key = Key::Close;
  char character = 0;   // of Key::Character
  std::size_t row = 0;  // of the mouse, from the top
};

// What a key asks for that the display cannot do.
enum class ScreenAction { None, Quit, Snapshot, Redraw };

// One list as it was last laid out. Keys and clicks refer to what the user saw.
struct PaneState {
  std::size_t scroll = 0;             // the first line that is shown
  std::size_t last_scroll = 0;        // the largest scroll position
  std::size_t page_rows = 0;          // the number of lines that are shown
  std::size_t first_row = 0;          // of the screen; the row of the heading is one above
  std::vector<std::string> ids = {};  // of all lines; empty where lines cannot be selected
  std::string selected = {};          // an id. Lines move when their values change, so an index would not do.
};

struct Display {
  Pane focus = Pane::Processes;
  Order order = Order::Growth;
  bool is_paused = false;
  bool shows_help = false;
  bool shows_detail = false;  // of the selected line of the active list
  bool edits_filter = false;  // characters go to the filter
  std::string filter = {};    // only lines that contain it are shown; empty: all
  std::string notice = {};    // shown instead of the keys, until the next key
  std::array<PaneState, kPanes> panes = {};

  [[nodiscard]] PaneState& pane(Pane which) { return panes[static_cast<std::size_t>(which)]; }
  [[nodiscard]] const PaneState& pane(Pane which) const { return panes[static_cast<std::size_t>(which)]; }
  [[nodiscard]] PaneState& focused() { return pane(focus); }
};

// The index of the selected line; none if nothing is selected or the line is gone.
std::optional<std::size_t> find_selected(const PaneState& pane);

// `has_output`: there is a fourth list, the job's output.
ScreenAction handle_key(Display& display, const KeyPress& press, bool has_output);
inline ScreenAction handle_key(Display& display, Key key, bool has_output) {
  return handle_key(display, KeyPress{.key = key}, has_output);
}

}  // namespace lowtide::screen
