#include "screen/rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "show/terminal/layout.h"

namespace lowtide::screen {
namespace {

bool begins_character(char c) {
  return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80U;
}

std::string ascii(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else if (begins_character(c)) {
      out += '?';
    }
  }
  return out;
}

}  // namespace

Row plain_row(std::string text) {
  return role_row(show::Role::Plain, std::move(text));
}

Row role_row(show::Role role, std::string text) {
  Row row;
  row.pieces.push_back({role, std::move(text)});
  return row;
}

Row fitted(Row row, std::size_t columns, bool unicode) {
  Row out;
  out.is_bar = row.is_bar;
  std::size_t left = columns;
  for (show::Piece& piece : row.pieces) {
    if (!unicode) piece.text = ascii(piece.text);
    const bool is_too_wide = show::display_width(piece.text) > left;
    if (is_too_wide) piece.text = show::cut(piece.text, left);
    left -= std::min(left, show::display_width(piece.text));
    if (!piece.text.empty()) out.pieces.push_back(std::move(piece));
    if (is_too_wide) break;
  }
  return out;
}

std::string text_of(const Row& row) {
  std::string text;
  for (const show::Piece& piece : row.pieces) text += piece.text;
  return text;
}

}  // namespace lowtide::screen
