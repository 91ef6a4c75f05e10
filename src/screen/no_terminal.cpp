// Replaces curses_terminal.cpp if lowtide is built without ncurses.

#include <utility>

#include "screen/terminal.h"

namespace lowtide::screen {

struct Curses {};

std::optional<base::Error> Terminal::find_trouble() {
  return base::Error{base::ErrorCode::Unsupported, "this lowtide was built without ncurses"};
}

base::Result<Terminal> Terminal::open() {
  return std::move(*find_trouble());
}

Terminal::Terminal(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}
Terminal::Terminal(Terminal&& other) noexcept = default;
Terminal& Terminal::operator=(Terminal&& other) noexcept = default;
Terminal::~Terminal() = default;

// Never called, because open() always fails.
void Terminal::close() {}
int Terminal::fd() const {
  return -1;
}
Size Terminal::size() const {
  return {};
}
bool Terminal::unicode() const {
  return false;
}
void Terminal::draw(const std::vector<Row>& /*rows*/) {}
void Terminal::redraw_all() {}
void Terminal::take_new_size() {}
std::optional<KeyPress> Terminal::next_key(bool /*is_typing*/) {
  return std::nullopt;
}

}  // namespace lowtide::screen
