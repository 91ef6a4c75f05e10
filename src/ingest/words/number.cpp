#include "ingest/words/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace lowtide::ingest {
namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

constexpr std::array<std::uint64_t, 9> kWholePowers = {1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};

// Digits with an optional point and grouping commas, by integer arithmetic: at
// most 18 digits, so that nothing overflows.
double read_short(const char* text, std::size_t length, char point) {
  std::uint64_t digits = 0;
  std::size_t fraction = 0;
  bool after_point = false;
  for (std::size_t at = 0; at < length; ++at) {
    const char c = text[at];
    if (is_digit(c)) {
      digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
      fraction += after_point ? 1 : 0;
    } else if (c == point) {
      after_point = true;
    }
  }
  return static_cast<double>(digits) / kPowersOfTen[fraction];
}

static_assert(std::endian::native == std::endian::little,
              "eight digits are read at once, the first in the lowest byte");

unsigned shift_for(std::size_t digits) {
  return static_cast<unsigned>(64 - 8 * digits);
}

// Eight bytes or fewer with one point or comma among them; the same value as read_short().
[[gnu::always_inline]] inline double read_eight(const char* text, std::size_t length, char separator,
                                                bool divides) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, 8);
  const std::uint64_t difference = bytes ^ (0x0101010101010101ULL * static_cast<std::uint8_t>(separator));
  const std::uint64_t found = (difference - 0x0101010101010101ULL) & ~difference & 0x8080808080808080ULL;
  const auto before = static_cast<std::size_t>(std::countr_zero(found)) / 8;
  const std::uint64_t low = (std::uint64_t{1} << (8 * before)) - 1;
  const std::uint64_t digits = (bytes & low) | ((bytes >> 8U) & ~low);
  const auto value = static_cast<double>(join_digits(digits, shift_for(length - 1)));
  return divides ? value / kPowersOfTen[length - 1 - before] : value;
}

// A point among the first eight bytes and at most eight digits after it.
[[gnu::always_inline]] inline double read_two(const char* text, std::size_t length, std::size_t before) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, 8);
  const std::uint64_t high = join_digits(bytes, shift_for(before));
  const std::size_t after = length - 1 - before;
  std::memcpy(&bytes, text + before + 1, 8);
  const std::uint64_t low = join_digits(bytes, shift_for(after));
  return static_cast<double>(high * kWholePowers[after] + low) / kPowersOfTen[after];
}

double read_long(const char* text, std::size_t length, NumberForm form) {
  // What does not fit says nothing a double could hold more exactly.
  std::array<char, 512> plain{};
  std::size_t used = 0;
  for (std::size_t at = 0; at < length; ++at) {
    if (used == plain.size()) return std::numeric_limits<double>::infinity();
    const char c = text[at];
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

double read_number(const char* text, std::size_t length, NumberForm form) {
  if (form == NumberForm::Exponent || length > 18) return read_long(text, length, form);
  if (form == NumberForm::Digits) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, 8);
    if (length <= 8) return static_cast<double>(join_digits(bytes, shift_for(length)));
    std::uint64_t digits = join_digits(bytes, 0);
    for (std::size_t at = 8; at < length; ++at)
      digits = digits * 10 + static_cast<std::uint64_t>(text[at] - '0');
    return static_cast<double>(digits);
  }
  if (form == NumberForm::Decimal && length <= 8) return read_eight(text, length, '.', true);
  if (form == NumberForm::Decimal && length <= 17) {
    std::size_t before = 1;
    while (before < 8 && text[before] != '.') ++before;
    const std::size_t after = length - 1 - before;
    if (text[before] == '.' && after >= 1 && after <= 8) return read_two(text, length, before);
  }
  if (form == NumberForm::Grouped && length <= 7 && text[length - 4] == ',')
    return read_eight(text, length, ',', false);
  return read_short(text, length, form == NumberForm::DecimalComma ? ',' : '.');
}

NumberPlan plan_number(std::string_view shape, NumberForm form) {
  NumberPlan plan;
  const std::size_t separator = shape.find_first_of(".,");
  const bool has_separator = separator != std::string_view::npos;
  if (form == NumberForm::Exponent || shape.empty() || shape.size() > 16) return plan;
  if (form == NumberForm::Grouped && shape.find('_') != std::string_view::npos) return plan;
  if (has_separator && shape.find_first_of(".,", separator + 1) != std::string_view::npos) return plan;
  const auto half = [&](std::size_t begin, std::size_t end, std::uint64_t& mask, std::uint8_t& shift) {
    const bool holds = has_separator && separator >= begin && separator < end;
    mask = holds ? (std::uint64_t{1} << (8 * (separator - begin))) - 1 : ~std::uint64_t{0};
    const std::size_t digits = end - begin - (holds ? 1 : 0);
    shift = static_cast<std::uint8_t>(shift_for(digits));
    return digits;
  };
  const std::size_t first = shape.size() <= 8 ? shape.size() : shape.size() - 8;
  if (half(0, first, plan.high_mask, plan.high_shift) == 0) return plan;
  plan.halves = 1;
  if (first < shape.size()) {
    plan.low_power = kWholePowers[half(first, shape.size(), plan.low_mask, plan.low_shift)];
    plan.low_offset = static_cast<std::uint8_t>(first);
    plan.halves = 2;
  }
  const bool divides = has_separator && form != NumberForm::Grouped;
  if (divides) plan.divisor = kPowersOfTen[shape.size() - 1 - separator];
  return plan;
}

}  // namespace lowtide::ingest
