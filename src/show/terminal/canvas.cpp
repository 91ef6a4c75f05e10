#include "show/terminal/canvas.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lowtide::show {
namespace {

// U+2800 + bits; bit of the dot at [row from the top][column].
constexpr std::array<std::array<std::uint8_t, 2>, 4> kBrailleBits{
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

std::string braille(std::uint8_t dots) {
  const std::uint32_t code_point = 0x2800U + dots;
  return {static_cast<char>(0xE2), static_cast<char>(0x80U | ((code_point >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (code_point & 0x3FU))};
}

char ascii(Ink ink) {
  switch (ink) {
    case Ink::Water:
      return '.';
    case Ink::Floor:
      return '_';
    case Ink::Series:
      return '*';
  }
  return ' ';
}

Role role_of_ink(Ink ink) {
  return ink == Ink::Series ? Role::Series : Role::Floor;
}

}  // namespace

Canvas::Canvas(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns), rows_(rows), unicode_(unicode), cells_(columns * rows) {}

const Canvas::Cell& Canvas::cell(std::size_t column, std::size_t row) const {
  return cells_[row * columns_ + column];
}

void Canvas::dot(std::size_t across, std::size_t up, Ink ink) {
  if (across >= dots_across() || up >= dots_up()) return;
  const std::size_t down = dots_up() - 1 - up;
  Cell& cell = cells_[down / dots_per_row() * columns_ + across / dots_per_column()];
  if (cell.drawn && cell.ink == Ink::Water && ink != Ink::Water)
    cell.dots = 0;  // a line stands clear of the water
  const auto bit = unicode_ ? kBrailleBits[down % 4][across % 2] : std::uint8_t{1};
  cell.dots = static_cast<std::uint8_t>(cell.dots | bit);
  cell.ink = cell.drawn ? std::max(cell.ink, ink) : ink;
  cell.drawn = true;
}

void Canvas::glyph(std::size_t column, std::size_t row, std::string_view text, Role role) {
  if (column >= columns_ || row >= rows_) return;
  Cell& cell = cells_[row * columns_ + column];
  if (cell.drawn && cell.ink == Ink::Series) return;
  cell.glyph = text;
  cell.role = role;
}

bool Canvas::is_free(std::size_t row, std::size_t first, std::size_t last) const {
  if (row >= rows_ || last >= columns_) return false;
  for (std::size_t column = first; column <= last; ++column) {
    const Cell& here = cell(column, row);
    if (!here.glyph.empty() || (here.drawn && here.ink == Ink::Series)) return false;
  }
  return true;
}

Line Canvas::line(std::size_t row) const {
  Line out;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Cell& here = cell(column, row);
    Piece next{Role::Plain, " "};
    if (!here.glyph.empty()) {
      next = {here.role, here.glyph};
    } else if (here.drawn) {
      next = {role_of_ink(here.ink), unicode_ ? braille(here.dots) : std::string(1, ascii(here.ink))};
    }
    if (!out.empty() && out.back().role == next.role) {
      out.back().text += next.text;
    } else {
      out.push_back(std::move(next));
    }
  }
  if (!out.empty() && out.back().role == Role::Plain)
    out.back().text.erase(out.back().text.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace lowtide::show
