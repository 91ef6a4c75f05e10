// The columns of a table, each described once: its name, its meaning, the member it holds and what that must
// be. CREATE TABLE, INSERT and SELECT, the binding of a row, the checks when it is read, and the tables of
// docs/recording.md all follow from the description (table.h).
//
// A recording may come from anywhere. A value that is absent, of another type or out of bounds counts as
// absent.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/member_path.h"
#include "base/text.h"
#include "model/names.h"
#include "record/sqlite.h"

namespace lowtide::record {

using base::find_member;
using base::kIsOptional;
using base::make_member;
using base::OwnerOf;
using base::ValueOf;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bounds {
  bool needed = false;   // a row without the value is left out; else the member keeps its default
  bool follows = false;  // does not fill an optional struct: an earlier column does
  double low = -kInfinity;
  double high = kInfinity;
  std::size_t text_bytes = 1'000;   // longer text is cut when it is written,
  std::size_t read_bytes = 65'536;  // and this when it is read
};

inline constexpr double kMostTimeSeconds = 99'999'999'999;  // three thousand years
inline constexpr Bounds kNeeded{.needed = true};
inline constexpr Bounds kTime{.needed = true, .low = -kMostTimeSeconds, .high = kMostTimeSeconds};
inline constexpr Bounds kShare{.needed = true, .low = 0, .high = 1};
inline constexpr Bounds kNotNegative{.low = 0};
inline constexpr Bounds kFollows{.follows = true};

constexpr bool is_time(double value) {
  return value >= -kMostTimeSeconds && value <= kMostTimeSeconds;
}

// SQLite's integers have a sign; no machine has 8 EiB.
template <std::integral Integer>
constexpr std::int64_t stored(Integer value) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return std::cmp_greater(value, kMost) ? kMost : static_cast<std::int64_t>(value);
}

std::string joined(const std::vector<std::string>& words);
std::string joined(const std::vector<std::int64_t>& numbers);
template <typename List>
List split(std::string_view text);

// An optional value is stored like the value; absent is NULL.
template <typename Value>
struct WithoutOptional {
  using Type = Value;
};
template <typename Value>
struct WithoutOptional<std::optional<Value>> {
  using Type = Value;
};
template <typename Value>
using Plain = typename WithoutOptional<Value>::Type;

template <typename Value>
constexpr const char* sql_type() {
  if constexpr (std::is_same_v<Value, double>) return "REAL";
  return std::integral<Value> || (model::Enumeration<Value> && !model::Named<Value>) ? "INTEGER" : "TEXT";
}

// Enumerators with names are text, those without are ids; lists are text with commas.
template <typename Value>
void bind_value(Statement& to, int at, const Value& value, const Bounds& bounds) {
  if constexpr (kIsOptional<Value>) {
    value ? bind_value(to, at, *value, bounds) : to.bind_null(at);
  } else if constexpr (std::is_same_v<Value, double>) {
    std::isfinite(value) ? to.bind(at, value) : to.bind_null(at);  // unknown and unbounded are NULL
  } else if constexpr (model::Named<Value>) {
    to.bind(at, to_string(value));
  } else if constexpr (model::Enumeration<Value> || std::is_same_v<Value, bool>) {
    to.bind(at, static_cast<std::int64_t>(value));
  } else if constexpr (std::integral<Value>) {
    to.bind(at, stored(value));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    to.bind(at, base::printable(value, bounds.text_bytes));
  } else {
    to.bind(at, base::printable(joined(value), bounds.text_bytes));
  }
}

template <typename Value>
std::optional<Value> read_value(const Statement& from, int at, const Bounds& bounds) {
  const auto is_within = [&](double value) { return value >= bounds.low && value <= bounds.high; };
  if constexpr (std::is_same_v<Value, double>) {
    const double value = from.real(at);
    if (from.is_number(at) && std::isfinite(value) && is_within(value)) return value;
  } else if constexpr (model::Named<Value>) {
    constexpr std::size_t kLongestName = 100;
    return model::find_named<Value>(from.text(at, kLongestName));
  } else if constexpr (model::Enumeration<Value>) {
    const auto value = read_value<std::underlying_type_t<Value>>(from, at, bounds);
    if (value) return static_cast<Value>(*value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (from.is_integer(at)) return from.integer(at) > 0;
  } else if constexpr (std::integral<Value>) {
    const std::int64_t value = from.integer(at);
    if (from.is_integer(at) && std::in_range<Value>(value) && is_within(static_cast<double>(value))) {
      return static_cast<Value>(value);
    }
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (!from.is_null(at)) return from.text(at, bounds.read_bytes);
  } else {
    return split<Value>(from.text(at, bounds.read_bytes));
  }
  return std::nullopt;
}

template <typename Row>
struct Column {
  const char* name = nullptr;
  const char* meaning = "";
  Bounds bounds = {};
  const char* type = nullptr;
  void (*bind)(Statement& to, int at, const Row& row, const Bounds& bounds) = nullptr;
  // False when the row cannot be.
  bool (*read)(const Statement& from, int at, Row& row, const Bounds& bounds) = nullptr;
  std::vector<std::string_view> (*names)() = nullptr;  // of an enum
};

template <model::Named Enum>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < model::count_of<Enum>(); ++at) {
    names.push_back(to_string(static_cast<Enum>(at)));
  }
  return names;
}

// The column that holds the member at the end of the path.
template <auto... Path>
constexpr auto column(const char* name, const char* meaning, Bounds bounds = {}) {
  using Row = OwnerOf<Path...>;
  using Value = ValueOf<Path...>;
  Column<Row> made{.name = name, .meaning = meaning, .bounds = bounds, .type = sql_type<Plain<Value>>()};
  made.bind = [](Statement& to, int at, const Row& row, const Bounds& limits) {
    const auto* member = find_member<Path...>(row);
    member != nullptr ? bind_value(to, at, *member, limits) : to.bind_null(at);
  };
  made.read = [](const Statement& from, int at, Row& row, const Bounds& limits) {
    auto value = read_value<Plain<Value>>(from, at, limits);
    if (!value) return !limits.needed;
    auto* member = limits.follows ? find_member<Path...>(row) : make_member<Path...>(row);
    if (member != nullptr) *member = *std::move(value);
    return true;
  };
  if constexpr (model::Named<Plain<Value>>) made.names = names_of<Plain<Value>>;
  return made;
}

// The number of a row that means nothing beyond the order of the rows.
template <typename Row>
constexpr Column<Row> row_number() {
  return {.name = "id",
          .meaning = "increases from row to row",
          .type = "INTEGER PRIMARY KEY",
          .bind = [](Statement& to, int at, const Row&, const Bounds&) { to.bind_null(at); },
          .read = [](const Statement&, int, Row&, const Bounds&) { return true; }};
}

template <typename Row>
constexpr Column<Row> with_type(const char* type, Column<Row> column) {
  column.type = type;
  return column;
}

// The number of a row to which other tables refer.
template <auto... Path>
constexpr auto row_id(const char* meaning) {
  return with_type("INTEGER PRIMARY KEY", column<Path...>("id", meaning, kNeeded));
}

}  // namespace lowtide::record
