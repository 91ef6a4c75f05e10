// The terminal that shows the screen, by ncurses. If lowtide was built without ncurses, open() returns an
// error.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "screen/display.h"
#include "screen/rows.h"

namespace lowtide::screen {

struct Curses;

class Terminal {
 public:
  // Why open() would fail: Unsupported without ncurses or for an unknown kind of terminal; Gone if there is
  // no terminal or lowtide is in its background. Nothing is written to it.
  static std::optional<base::Error> find_trouble();

  // Uses the controlling terminal, even if the standard streams are redirected, until close() or the end of
  // this object. A crash of lowtide restores it too. Only one at a time.
  static base::Result<Terminal> open();

  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&& other) noexcept;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // Restores the terminal. Nothing below may be called afterwards.
  void close();

  [[nodiscard]] int fd() const;  // readable when there are keys
  [[nodiscard]] Size size() const;
  [[nodiscard]] bool unicode() const;

  void draw(const std::vector<Row>& rows);
  void redraw_all();
  // Call it when the window size has changed.
  void take_new_size();
  // The next key that lowtide uses; none if no key was pressed. `is_typing`: letters are text, not commands.
  std::optional<KeyPress> next_key(bool is_typing);

 private:
  explicit Terminal(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
};

}  // namespace lowtide::screen
