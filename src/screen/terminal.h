// The terminal that the screen is drawn on, by ncurses. Where lowtide was built without it, there is none
// and open() says so.
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
  // Whether open() would work: Unsupported without ncurses or for a terminal it does not know; Gone where
  // there is no terminal, or we are in its background. Nothing is written to it.
  static std::optional<base::Error> find_trouble();

  // Takes over the controlling terminal, whatever standard streams lead to, until close() or the end of
  // this object. A crash of ours gives it back as well. One at a time.
  static base::Result<Terminal> open();

  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&& other) noexcept;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // As it was before open(). Nothing below may be called afterwards.
  void close();

  [[nodiscard]] int fd() const;  // readable when there are keys
  [[nodiscard]] Size size() const;
  [[nodiscard]] bool unicode() const;

  void draw(const std::vector<Row>& rows);
  void redraw_all();
  // The window has another size now.
  void take_new_size();
  // The next key that means something to us; none when there is none now.
  std::optional<Key> next_key();

 private:
  explicit Terminal(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
};

}  // namespace lowtide::screen
