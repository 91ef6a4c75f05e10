#include "screen/low_water.h"

#include <algorithm>

#include "model/floor.h"

namespace lowtide::screen {
namespace {

constexpr std::size_t kFewestForRate = 8;

double difference(std::uint64_t later, std::uint64_t earlier) {
  return static_cast<double>(later) - static_cast<double>(earlier);
}

}  // namespace

void LowWater::add(double at_s, std::uint64_t bytes) {
  if (stretches_.empty() || at_s >= stretches_.back().from_s + width_s_) {
    stretches_.push_back({at_s, bytes});
    if (stretches_.size() > kMostStretches) thin();
  } else {
    stretches_.back().low_bytes = std::min(stretches_.back().low_bytes, bytes);
  }
}

void LowWater::thin() {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < stretches_.size(); at += 2) {
    Stretch joined = stretches_[at];
    if (at + 1 < stretches_.size())
      joined.low_bytes = std::min(joined.low_bytes, stretches_[at + 1].low_bytes);
    stretches_[kept++] = joined;
  }
  stretches_.resize(kept);
  width_s_ *= 2;
}

std::uint64_t LowWater::lowest(std::size_t first, std::size_t count) const {
  std::uint64_t low = stretches_[first].low_bytes;
  for (std::size_t at = first; at < first + count; ++at) low = std::min(low, stretches_[at].low_bytes);
  return low;
}

std::int64_t LowWater::growth_bytes() const {
  std::vector<double> lows;
  lows.reserve(stretches_.size());
  for (const Stretch& stretch : stretches_) lows.push_back(static_cast<double>(stretch.low_bytes));
  return model::floor_growth(model::find_floor(lows));
}

std::optional<double> LowWater::bytes_per_s() const {
  if (stretches_.size() < kFewestForRate) return std::nullopt;
  const std::size_t quarter = stretches_.size() / 4;
  const std::size_t last = stretches_.size() - quarter;
  const std::size_t before = last - quarter;
  const double took_s = stretches_[last].from_s - stretches_[before].from_s;
  if (took_s <= 0) return std::nullopt;
  return difference(lowest(last, quarter), lowest(before, quarter)) / took_s;
}

}  // namespace lowtide::screen
