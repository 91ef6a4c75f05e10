// A rectangle of character cells that is drawn on with dots finer than a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "show/terminal/paint.h"

namespace lowtide::show {

enum class Ink : std::uint8_t {
  Water,
  Floor,
  Series
};  // what is drawn later in this list covers what is earlier

// With Unicode a cell holds 2 x 4 braille dots; in ASCII it is one dot. (0, 0)
// is the dot at the bottom left.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool unicode);

  [[nodiscard]] std::size_t dots_across() const { return columns_ * dots_per_column(); }
  [[nodiscard]] std::size_t dots_up() const { return rows_ * dots_per_row(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Outside the canvas nothing happens.
  void dot(std::size_t across, std::size_t up, Ink ink);

  // A character in place of the dots of a cell (row 0 is the top), unless the
  // series passes there: the data is never covered.
  void glyph(std::size_t column, std::size_t row, std::string_view text, Role role);

  // True while no series dot and no glyph is in the cells [first, last] of the row.
  [[nodiscard]] bool is_free(std::size_t row, std::size_t first, std::size_t last) const;

  // Neighbours in one colour are one piece; no blanks at the end.
  [[nodiscard]] Line line(std::size_t row) const;

  [[nodiscard]] std::size_t dots_per_column() const { return unicode_ ? 2 : 1; }
  [[nodiscard]] std::size_t dots_per_row() const { return unicode_ ? 4 : 1; }

 private:
  struct Cell {
    std::uint8_t dots = 0;
    bool drawn = false;
    Ink ink = Ink::Water;
    std::string glyph;
    Role role = Role::Plain;
  };

  [[nodiscard]] const Cell& cell(std::size_t column, std::size_t row) const;

  std::size_t columns_;
  std::size_t rows_;
  bool unicode_;
  std::vector<Cell> cells_;
};

}  // namespace lowtide::show
