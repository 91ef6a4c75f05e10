#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
constexpr std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline constexpr std::array<double, 20> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                        1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                        1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

// How a number is written; decided once per shape of line.
enum class NumberForm : unsigned char {
  Digits,        // 5552
  Decimal,       // 5552.25, with one point
  Grouped,       // 5,552 or 5,552.25
  Exponent,      // 1.5e-04
  DecimalComma,  // 5552,25: in files whose fields are parted by ';', and before a unit: 5552,25 MB
};

struct NumberText {
  std::size_t length = 0;  // 0 = there is no number here
  NumberForm form = NumberForm::Digits;
};

// The number that starts at text[0], without a sign. Looks only at which bytes
// are digits, never at which digits they are.
NumberText scan_number(std::string_view text, bool decimal_comma = false);

// The value of a text that scan_number() found. Never fails: what is too large
// for a double becomes infinity.
double read_number(std::string_view text, NumberForm form);

// Up to four digits, as dates have them.
inline int read_small(const char* text, std::size_t length) {
  int value = 0;
  for (std::size_t at = 0; at < length; ++at) value = value * 10 + (text[at] - '0');
  return value;
}

}  // namespace lowtide::ingest
