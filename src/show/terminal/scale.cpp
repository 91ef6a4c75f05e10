#include "show/terminal/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace lowtide::show {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

// 1, 2, 2.5 or 5 times a power of ten: the smallest that needs no more than `most` of them.
double round_interval(double span, std::size_t most, bool whole) {
  const double least = span / static_cast<double>(std::max<std::size_t>(most, 1));
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double interval = digit * power;
    if (whole && interval != std::floor(interval)) continue;
    if (interval >= least * (1 - 1e-9)) return interval;
  }
  return whole ? std::max(1.0, std::ceil(least)) : 10 * power;
}

// Digits after the point that distinguish neighbouring ticks.
int decimals_of(double interval) {
  for (int decimals = 0; decimals < 3; ++decimals) {
    const double scaled = interval * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6) return decimals;
  }
  return 3;
}

void add_ticks(Scale& scale, double interval, const Unit& unit) {
  const int decimals = decimals_of(interval / unit.size);
  const double first = std::ceil(scale.low / interval - 1e-9);
  for (double at = first; at * interval <= scale.high + interval * 1e-9; ++at) {
    const double value = at * interval + 0.0;  // + 0.0: never "-0"
    std::string label = fmt::format("{:.{}f}", value / unit.size, decimals);
    if (!unit.name.empty()) label += fmt::format(" {}", unit.name);
    scale.ticks.push_back({value, std::move(label)});
  }
}

// The low end is a tick in the lowest row, and there is one in every n-th row above it. Of all n, the one
// that leaves the least room above `top`.
Scale row_scale(double bottom, double top, std::size_t rows, const Unit& unit) {
  constexpr std::size_t kMostTicks = 7;
  constexpr double kRounding = 1e-9;
  const std::size_t above = std::max<std::size_t>(rows, 3) - 1;  // the lowest row
  Scale scale;
  double interval = 0;
  for (std::size_t each = std::max<std::size_t>((above + kMostTicks - 2) / (kMostTicks - 1), 1);
       2 * each <= above; ++each) {
    const double intervals = static_cast<double>(above) / static_cast<double>(each);
    double least = (top - bottom) / intervals;
    Scale found;
    double size = 0;
    do {  // the low end is rounded down, which can need a larger interval
      size = round_interval(least / unit.size, 1, unit.size == 1.0) * unit.size;
      found.low = std::floor(bottom / size + kRounding) * size;
      found.high = found.low + intervals * size;
      least = size * 1.01;
    } while (found.high < top * (1 - kRounding));
    if (interval > 0 && found.high - found.low >= (scale.high - scale.low) * (1 - kRounding)) continue;
    scale = found;
    interval = size;
  }
  add_ticks(scale, interval, unit);
  return scale;
}

}  // namespace

Scale byte_scale(double lowest_bytes, double highest_bytes, std::size_t rows) {
  constexpr double kMagnifyBelow = 0.25;  // of the level
  constexpr double kLeastSpan = 0.05;     // of the level
  const double highest = std::max(highest_bytes, 1.0);
  double bottom = 0;
  double top = highest * 1.04;  // the line does not touch the frame
  if (highest - lowest_bytes < kMagnifyBelow * highest) {
    const double span = std::max((highest - lowest_bytes) * 1.3, kLeastSpan * highest);
    const double middle = (highest + lowest_bytes) / 2;
    bottom = std::max(0.0, middle - span / 2);
    top = middle + span / 2;
  }

  constexpr std::array<Unit, 5> kUnits{
      {{base::kTB, "TB"}, {base::kGB, "GB"}, {base::kMB, "MB"}, {base::kKB, "kB"}, {1.0, "B"}}};
  const Unit unit = *std::find_if(kUnits.begin(), kUnits.end() - 1,
                                  [&](const Unit& candidate) { return top >= candidate.size; });
  return row_scale(bottom, top, rows, unit);
}

Scale count_scale(double first, double last, std::size_t most_ticks) {
  Scale scale{first, last > first ? last : first + 1, {}};
  const double interval = round_interval(scale.high - scale.low, most_ticks, true);
  add_ticks(scale, interval, {1.0, ""});
  for (Tick& tick : scale.ticks) {
    const bool negative = tick.value < 0;
    tick.label = (negative ? "-" : "") + base::format_count(static_cast<std::uint64_t>(std::abs(tick.value)));
  }
  return scale;
}

Scale time_scale(double first_s, double last_s, std::size_t most_ticks) {
  Scale scale{first_s, last_s > first_s ? last_s : first_s + 1, {}};
  const double span = scale.high - scale.low;
  const Unit unit = span >= 3 * 86400.0 ? Unit{86400.0, "d"}
                    : span >= 3 * 3600  ? Unit{3600.0, "h"}
                    : span >= 180       ? Unit{60.0, "min"}
                                        : Unit{1.0, "s"};
  add_ticks(scale, round_interval(span / unit.size, most_ticks, false) * unit.size, unit);
  return scale;
}

}  // namespace lowtide::show
