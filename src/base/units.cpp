#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace lowtide::base {
namespace {

// Three significant digits without an exponent: 5.80, 58.0, 580.
std::string three_digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct NumberAndUnit {
  double number = 0;
  std::string_view unit;
};

// "1,024 kB": the number at the front, which has no sign, and the word behind it.
std::optional<NumberAndUnit> split_unit(std::string_view text) {
  text = trimmed(text);
  std::string digits;
  std::size_t end = 0;
  while (end < text.size() &&
         ((text[end] >= '0' && text[end] <= '9') || text[end] == '.' || text[end] == ',')) {
    if (text[end] != ',') digits.push_back(text[end]);
    ++end;
  }
  NumberAndUnit parts;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
  if (status != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  parts.unit = trimmed(text.substr(end));
  return parts;
}

}  // namespace

std::uint64_t to_bytes(double value) {
  constexpr double kBeyond = 0x1p64;
  if (!(value > 0)) return 0;
  return value < kBeyond ? static_cast<std::uint64_t>(std::round(value))
                         : std::numeric_limits<std::uint64_t>::max();
}

std::string format_bytes(double bytes) {
  const double magnitude = std::abs(bytes);
  // A value that rounds up to the next unit is written in it: 999,999,999 is "1.00 GB".
  if (magnitude >= 999.5 * kGB) return three_digits(bytes / kTB) + " TB";
  if (magnitude >= 999.5 * kMB) return three_digits(bytes / kGB) + " GB";
  if (magnitude >= 999.5 * kKB) return three_digits(bytes / kMB) + " MB";
  if (magnitude >= 999.5) return three_digits(bytes / kKB) + " kB";
  return fmt::format("{:.0f} B", bytes);
}

std::string format_seconds(double seconds) {
  const double magnitude = std::abs(seconds);
  if (magnitude >= kLargestFigure) return format_number(seconds) + " s";
  if (magnitude < 1.0) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (magnitude < 120.0) return fmt::format("{:.1f} s", seconds);
  if (magnitude < 1.5 * 3600.0) return fmt::format("{:.1f} min", seconds / 60.0);
  if (magnitude < 2 * 86400.0) return fmt::format("{:.1f} h", seconds / 3600.0);
  return fmt::format("{:.1f} days", seconds / 86400.0);
}

std::string format_share(double share) {
  constexpr double kAlmostAll = 0.995;
  constexpr double kAll = 0.9995;
  if (!std::isfinite(share)) return "unknown";
  if (share >= kAll) return "100%";
  if (share >= kAlmostAll) return ">99%";
  return fmt::format("{:.0f}%", std::max(share, 0.0) * 100);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string format_number(double value) {
  if (!(value < kLargestFigure)) return fmt::format("{:.1e}", value);
  return format_count(static_cast<std::uint64_t>(std::max(0.0, std::round(value))));
}

std::string format_limit(std::uint64_t bytes) {
  constexpr std::uint64_t kWholeMiB = 1ULL << 20U;
  constexpr std::uint64_t kWholeGiB = 1ULL << 30U;
  if (bytes >= kWholeGiB && bytes % kWholeGiB == 0) return format_count(bytes / kWholeGiB) + " GiB";
  if (bytes < kWholeGiB && bytes >= kWholeMiB && bytes % kWholeMiB == 0) {
    return format_count(bytes / kWholeMiB) + " MiB";
  }
  return format_bytes(static_cast<double>(bytes));
}

double bytes_per_unit(std::string_view unit) {
  std::array<char, 5> lower{};
  if (unit.empty() || unit.size() > lower.size()) return 0.0;
  // Not std::transform: g++ 12 for aarch64 unrolls it past the array and warns (-O3, -Wstringop-overflow).
  for (std::size_t at = 0; at < lower.size() && at < unit.size(); ++at) lower[at] = to_lower(unit[at]);
  const std::string_view name(lower.data(), unit.size());
  if (name == "b" || name == "byte" || name == "bytes") return 1.0;

  constexpr std::string_view kPrefixes = "kmgtp";
  const auto power = kPrefixes.find(name.front());
  if (power == std::string_view::npos) return 0.0;
  const std::string_view rest = name.substr(1);
  const auto exponent = static_cast<double>(power + 1);
  if (rest == "b") return std::pow(1000.0, exponent);
  if (rest.empty() || rest == "ib" || rest == "i") return std::pow(1024.0, exponent);
  return 0.0;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const Error malformed{ErrorCode::Malformed,
                        fmt::format("'{}' is not a size such as 500M, 20G or 17.5GB", text)};
  const auto parts = split_unit(text);
  if (!parts) return malformed;
  const double scale = parts->unit.empty() ? 1.0 : bytes_per_unit(parts->unit);
  const double bytes = parts->number * scale;
  if (scale == 0.0 || !(bytes < 9e18)) return malformed;
  return static_cast<std::uint64_t>(std::llround(bytes));
}

Result<double> parse_count(std::string_view text) {
  const Error malformed{ErrorCode::Malformed,
                        fmt::format("'{}' is not a number such as 663, 350M or 3B", text)};
  const auto parts = split_unit(text);
  if (!parts || parts->unit.size() > 1) return malformed;
  if (parts->unit.empty()) return parts->number;
  switch (to_lower(parts->unit.front())) {
    case 'k':
      return parts->number * 1e3;
    case 'm':
      return parts->number * 1e6;
    case 'b':
    case 'g':
      return parts->number * 1e9;
    case 't':
      return parts->number * 1e12;
    default:
      return malformed;
  }
}

Result<double> parse_seconds(std::string_view text) {
  const Error malformed{ErrorCode::Malformed,
                        fmt::format("'{}' is not a time such as 500ms, 10s or 2h", text)};
  text = trimmed(text);
  double number = 0.0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !(number >= 0.0) || !(number < 1e12)) return malformed;
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(stop - text.data())));
  if (unit == "ms") return number * 1e-3;
  if (unit.empty() || unit == "s" || unit == "sec") return number;
  if (unit == "m" || unit == "min") return number * 60;
  if (unit == "h") return number * 3600;
  if (unit == "d") return number * 86400;
  return malformed;
}

}  // namespace lowtide::base
