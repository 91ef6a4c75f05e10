#include "ingest/words/number.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace lowtide::ingest {
namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// Digits with an optional point and grouping commas, by integer arithmetic: at
// most 18 digits, so that nothing overflows.
double read_short(std::string_view text, char point) {
  std::uint64_t digits = 0;
  std::size_t fraction = 0;
  bool after_point = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      fraction += after_point ? 1 : 0;
    } else if (c == point) {
      after_point = true;
    }
  }
  return static_cast<double>(digits) / kPowersOfTen[fraction];
}

double read_long(std::string_view text, NumberForm form) {
  // What does not fit says nothing a double could hold more exactly.
  std::array<char, 512> plain{};
  std::size_t used = 0;
  for (const char c : text) {
    if (used == plain.size()) return std::numeric_limits<double>::infinity();
    if (c == '_' || (c == ',' && form != NumberForm::DecimalComma)) continue;
    plain[used++] = c == ',' ? '.' : c;
  }
  double value = 0;
  const auto [stop, status] = std::from_chars(plain.data(), plain.data() + used, value);
  if (status == std::errc::result_out_of_range) {
    // from_chars does not say which way: a negative exponent means "nearly nothing".
    const std::string_view whole(plain.data(), used);
    return whole.find("e-") != std::string_view::npos || whole.find("E-") != std::string_view::npos
               ? 0.0
               : std::numeric_limits<double>::infinity();
  }
  return value;
}

// "5000,5 MB": one or two digits behind the comma and a unit of size behind them. Three would be a group
// of thousands, and without the unit the comma may part two numbers.
bool is_decimal_comma_before_a_unit(std::string_view text, std::size_t comma) {
  if (comma >= text.size() || text[comma] != ',') return false;
  const std::size_t fraction = digits_at(text, comma + 1);
  if (fraction < 1 || fraction > 2) return false;
  std::size_t at = comma + 1 + fraction;
  if (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size() || std::string_view("kmgt").find(to_lower(text[at])) == std::string_view::npos)
    return false;
  if (++at < text.size() && text[at] == 'i') ++at;
  return at < text.size() && to_lower(text[at]) == 'b' && (at + 1 == text.size() || !is_letter(text[at + 1]));
}

}  // namespace

NumberText scan_number(std::string_view text, bool decimal_comma) {
  NumberText number;
  number.length = digits_at(text, 0);
  if (number.length == 0) return number;
  if (decimal_comma || is_decimal_comma_before_a_unit(text, number.length)) {
    const std::size_t fraction =
        number.length < text.size() && text[number.length] == ',' ? digits_at(text, number.length + 1) : 0;
    if (fraction > 0) {
      number.length += 1 + fraction;
      number.form = NumberForm::DecimalComma;
      return number;
    }
  } else if (number.length <= 3) {
    while (number.length < text.size() && text[number.length] == ',' &&
           digits_at(text, number.length + 1) == 3) {
      number.length += 4;
      number.form = NumberForm::Grouped;
    }
  }
  // As Python writes them: 5_552.
  while (number.form != NumberForm::DecimalComma && number.length < text.size() &&
         text[number.length] == '_' && digits_at(text, number.length + 1) == 3) {
    number.length += 4;
    number.form = NumberForm::Grouped;
  }
  if (number.length < text.size() && text[number.length] == '.') {
    const std::size_t fraction = digits_at(text, number.length + 1);
    if (fraction > 0) {
      number.length += 1 + fraction;
      if (number.form == NumberForm::Digits) number.form = NumberForm::Decimal;
    }
  }
  if (number.length < text.size() && to_lower(text[number.length]) == 'e') {
    std::size_t at = number.length + 1;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits_at(text, at);
    if (exponent > 0) {
      number.length = at + exponent;
      number.form = NumberForm::Exponent;
    }
  }
  return number;
}

double read_number(std::string_view text, NumberForm form) {
  if (form == NumberForm::Exponent || text.size() > 18) return read_long(text, form);
  return read_short(text, form == NumberForm::DecimalComma ? ',' : '.');
}

}  // namespace lowtide::ingest
