#include "record/tables/values.h"

#include <cmath>
#include <limits>

namespace lowtide::record {
namespace {

constexpr double kMostTimeSeconds = 1e11;  // three thousand years

}  // namespace

bool is_time(double value) {
  return std::isfinite(value) && std::abs(value) < kMostTimeSeconds;
}

std::optional<double> real_at(const Statement& row, int at) {
  const double value = row.real(at);
  return row.is_number(at) && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> bytes_at(const Statement& row, int at) {
  return row.is_integer(at) && row.integer(at) >= 0
             ? std::optional(static_cast<std::uint64_t>(row.integer(at)))
             : std::nullopt;
}

std::optional<model::ProcessId> process_at(const Statement& row, int at) {
  const auto id = bytes_at(row, at);
  return id && *id <= std::numeric_limits<std::uint32_t>::max()
             ? std::optional(static_cast<model::ProcessId>(*id))
             : std::nullopt;
}

std::optional<int> int_at(const Statement& row, int at) {
  const std::int64_t value = row.integer(at);
  const bool fits = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return row.is_integer(at) && fits ? std::optional(static_cast<int>(value)) : std::nullopt;
}

}  // namespace lowtide::record
