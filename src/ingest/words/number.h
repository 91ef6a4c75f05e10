#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
// for a double becomes infinity. Sixteen bytes from `text` must be readable, whatever the length.
double read_number(const char* text, std::size_t length, NumberForm form);

// Up to four digits, as dates have them.
inline int read_small(const char* text, std::size_t length) {
  int value = 0;
  for (std::size_t at = 0; at < length; ++at) value = value * 10 + (text[at] - '0');
  return value;
}

// How to read the numbers of one shape: their points and commas are always in the same place, so the
// eight bytes that hold digits need a mask and a shift, and nothing to decide.
struct NumberPlan {
  std::uint64_t high_mask = 0;  // bytes of the first half that lie before its point
  std::uint64_t low_mask = 0;
  std::uint64_t low_power = 1;  // ten to the digits of the second half
  double divisor = 1;
  std::uint8_t high_shift = 0;
  std::uint8_t low_shift = 0;
  std::uint8_t low_offset = 0;
  std::uint8_t halves = 0;  // 0 = too long or too odd: read_number()
};

NumberPlan plan_number(std::string_view shape, NumberForm form);

// Up to eight digits, one per byte, the first in the lowest: three multiplications.
// `shift` is 64 less eight per digit.
[[gnu::always_inline]] inline std::uint64_t join_digits(std::uint64_t bytes, unsigned shift) {
  bytes = (bytes & 0x0F0F0F0F0F0F0F0FULL) << shift;
  bytes = bytes * 10 + (bytes >> 8U);
  return ((bytes & 0x000000FF000000FFULL) * 0x000F424000000064ULL +
          ((bytes >> 16U) & 0x000000FF000000FFULL) * 0x0000271000000001ULL) >>
         32U;
}

[[gnu::always_inline]] inline std::uint64_t read_half(const char* text, std::uint64_t mask, unsigned shift) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, 8);
  return join_digits((bytes & mask) | ((bytes >> 8U) & ~mask), shift);
}

// The same value as read_number(); only where plan.halves > 0.
[[gnu::always_inline]] inline double read_planned(const NumberPlan& plan, const char* text) {
  std::uint64_t digits = read_half(text, plan.high_mask, plan.high_shift);
  if (plan.halves > 1)
    digits = digits * plan.low_power + read_half(text + plan.low_offset, plan.low_mask, plan.low_shift);
  const auto number = static_cast<double>(static_cast<std::int64_t>(digits));
  return plan.divisor == 1 ? number : number / plan.divisor;  // a division waits; most numbers are whole
}

}  // namespace lowtide::ingest
