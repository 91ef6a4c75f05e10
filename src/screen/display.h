// How the reader wants to see it: which list has the keys, the order, what is scrolled to. And what a key
// does to that.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::screen {

enum class Pane { Processes, Sites, Holders, Output };
inline constexpr std::size_t kPanes = 4;

enum class Order { Growth, Memory, Rate, Cpu, Pid };

std::string_view to_string(Order order);

enum class Key {
  Quit,
  Close,
  Sort,
  Pause,
  Help,
  Look,
  NextPane,
  Up,
  Down,
  PageUp,
  PageDown,
  First,
  Last,
  Redraw
};

// What a key asks of others than the display.
enum class ScreenAction { None, Quit, Look, Redraw };

struct Display {
  Pane focus = Pane::Processes;
  Order order = Order::Growth;
  bool is_paused = false;
  bool shows_help = false;
  std::array<std::size_t, kPanes> scroll{};       // the first line that is shown
  std::array<std::size_t, kPanes> last_scroll{};  // how far each can be scrolled, as it was laid out
  std::array<std::size_t, kPanes> page_rows{};    // how many lines each shows, the same
  std::string notice = {};                        // in place of the keys, until the next one

  [[nodiscard]] std::size_t focused() const { return static_cast<std::size_t>(focus); }
};

// `has_output`: there is a fourth list to go to.
ScreenAction handle_key(Display& display, Key key, bool has_output);

}  // namespace lowtide::screen
