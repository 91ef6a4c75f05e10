#pragma once

#include <cstddef>
#include <string_view>

namespace lowtide::ingest {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// How a number is written; decided once per shape of line.
enum class NumberForm : unsigned char {
  Digits,        // 5552
  Decimal,       // 5552.25, with one point
  Grouped,       // 5,552 or 5,552.25
  Exponent,      // 1.5e-04
  DecimalComma,  // 5552,25: only in files whose fields are parted by ';'
};

struct NumberText {
  std::size_t length = 0;  // 0 = there is no number here
  NumberForm form = NumberForm::Digits;
};

// The number that starts at text[0], without a sign. Looks only at which bytes
// are digits, never at which digits they are.
NumberText scan_number(std::string_view text, bool decimal_comma = false);

// The value of a text that scan_number() found. Never fails: what is too large
// for a double becomes infinity. Sixteen bytes from `text` must be readable, whatever the length.
double read_number(const char* text, std::size_t length, NumberForm form);

// Up to four digits, as dates have them.
inline int read_small(const char* text, std::size_t length) {
  int value = 0;
  for (std::size_t at = 0; at < length; ++at) value = value * 10 + (text[at] - '0');
  return value;
}

}  // namespace lowtide::ingest
