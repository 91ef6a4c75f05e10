#include "record/tables/thinner.h"

#include <algorithm>
#include <cmath>

namespace lowtide::record {

std::size_t Thinner::Hash::operator()(const Key& key) const {
  std::uint64_t mixed = static_cast<std::uint64_t>(key.kind);
  for (const std::int64_t part : key.keys) {
    mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 32U;
  }
  return static_cast<std::size_t>(mixed);
}

bool Thinner::roll(double now_s, std::vector<ThinRow>& done) {
  std::size_t ended_levels = 0;
  for (std::size_t level = 1; level < kLevels; ++level) {
    const double number = std::floor(now_s / kWidthsSeconds[level]);
    // A clock that goes back stays in the stretch that is open.
    if (number > current_[level]) {
      current_[level] = number;
      ended_levels = level;
    }
  }
  if (ended_levels == 0) {
    return false;
  }
  for (auto at = series_.begin(); at != series_.end();) {
    const SeriesKind kind = at->first.kind;
    Stretches& open = at->second;
    const bool silent = open.front().count == 0;
    const std::size_t last = silent ? kLevels - 1 : ended_levels;
    for (std::size_t level = 1; level <= std::min(last, open.size()); ++level) {
      if (open[level - 1].count == 0) {
        continue;
      }
      done.push_back({kind, level, open[level - 1]});
      if (level + 1 < kLevels) {
        if (open.size() == level) open.emplace_back();
        merge(spec_of(kind), open[level], open[level - 1]);
      }
      open[level - 1] = SampleRow{};
    }
    at = silent ? series_.erase(at) : std::next(at);
  }
  return true;
}

void Thinner::add(SeriesKind kind, const SampleRow& row) {
  Stretches& open = series_[Key{kind, row.keys}];
  if (open.empty()) open.emplace_back();
  merge(spec_of(kind), open.front(), row);
}

void merge(const KindSpec& spec, SampleRow& into, const SampleRow& row) {
  if (into.count == 0) {
    into = row;
    return;
  }
  const auto before = static_cast<double>(into.count);
  const auto added = static_cast<double>(row.count);
  into.mean += (row.mean - into.mean) * added / (before + added);
  into.span_s = std::max(into.span_s, row.at_s + row.span_s - into.at_s);
  into.count += row.count;
  into.low = std::min(into.low, row.low);
  into.high = std::max(into.high, row.high);
  into.mean = std::clamp(into.mean, static_cast<double>(into.low), static_cast<double>(into.high));
  if (!std::isnan(row.step)) {
    into.step = row.step;
  }
  const auto columns = spec.columns();
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::int64_t value = row.others[at];
    if (value != kAbsent) {
      into.others[at] = columns[at].keep == Keep::Highest ? std::max(into.others[at], value) : value;
    }
  }
}

}  // namespace lowtide::record
