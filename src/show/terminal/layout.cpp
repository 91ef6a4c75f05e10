#include "show/terminal/layout.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lowtide::show {
namespace {

struct Character {
  std::size_t bytes;
  std::size_t columns;
};

struct UnicodeBlock {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that terminals draw two columns wide (Unicode 15, East Asian
// Width W and F, coarsened to whole blocks) ...
constexpr std::array<UnicodeBlock, 9> kWide{{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};
// ... and those that sit on the character before them.
constexpr std::array<UnicodeBlock, 5> kNoWidth{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF}}};

template <std::size_t N>
bool within(const std::array<UnicodeBlock, N>& blocks, std::uint32_t code_point) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const UnicodeBlock& block) {
    return code_point >= block.first && code_point <= block.last;
  });
}

// The text is valid UTF-8 by the time it is laid out (base::printable); a stray
// byte counts as one column and cannot read past the end.
Character next_character(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text.front());
  if (lead < 0x80) return {1, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes == 1 || bytes > text.size()) return {1, 1};
  std::uint32_t code_point = lead & (0xFFU >> (bytes + 1));
  for (std::size_t at = 1; at < bytes; ++at) {
    code_point = (code_point << 6U) | (static_cast<std::uint8_t>(text[at]) & 0x3FU);
  }
  if (within(kNoWidth, code_point)) return {bytes, 0};
  return {bytes, within(kWide, code_point) ? std::size_t{2} : std::size_t{1}};
}

// The bytes at the front of `text` that fit into `width` columns.
std::size_t bytes_that_fit(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  std::size_t columns = 0;
  while (at < text.size()) {
    const Character next = next_character(text.substr(at));
    if (columns + next.columns > width) break;
    columns += next.columns;
    at += next.bytes;
  }
  return at;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character next = next_character(text);
    columns += next.columns;
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return std::string(text) + std::string(columns < width ? width - columns : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return std::string(columns < width ? width - columns : 0, ' ') + std::string(text);
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(text.substr(0, bytes_that_fit(text, width)));
  return std::string(text.substr(0, bytes_that_fit(text, width - 3))) + "...";
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 2);  // a wide character must fit, or nothing ever moves on
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;

    const std::size_t used = display_width(lines.back());
    if (used > 0 && used + 1 + display_width(word) > width) lines.emplace_back();
    while (display_width(word) > width) {
      const std::size_t bytes = bytes_that_fit(word, width);
      lines.back() = std::string(word.substr(0, bytes));
      lines.emplace_back();
      word.remove_prefix(bytes);
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows, std::size_t width,
                               std::size_t widest) {
  constexpr std::size_t kLeastLast = 20;  // narrower than this, a sentence becomes a column of words
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.empty() ? 0 : row.size() - 1), 0);
    for (std::size_t at = 0; at + 1 < row.size(); ++at) {
      widths[at] = std::max(widths[at], std::min(display_width(row[at]), widest));
    }
  }
  std::size_t indent = 0;
  for (const std::size_t column : widths) indent += column + 2;
  const std::size_t room = width > indent + kLeastLast ? width - indent : kLeastLast;

  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t at = 0; at + 1 < row.size(); ++at)
      line += pad_right(cut(row[at], widths[at]), widths[at]) + "  ";
    if (row.empty()) continue;
    for (const std::string& piece : wrap(row.back(), room)) {
      line += piece;
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(line);
      line = std::string(indent, ' ');
    }
  }
  return lines;
}

}  // namespace lowtide::show
