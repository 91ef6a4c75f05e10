#include "judge/spikes.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "judge/amounts.h"
#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

constexpr double kEdge = 0.5;  // of its height: the least edge of a spike

// Mostly high with short dips is not spiky: there the typical level is the floor.
bool dips_rather_than_spikes(std::span<const double> values, double threshold) {
  const std::size_t parts = values.size() >= 80 ? 8 : 4;
  std::vector<double> places;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto slice = values.subspan(values.size() * part / parts,
                                      values.size() * (part + 1) / parts - values.size() * part / parts);
    const std::vector<double> copy(slice.begin(), slice.end());
    const double low = quantile(copy, 0.05);
    const double high = quantile(copy, 0.95);
    if (high - low > 0.5 * threshold) places.push_back((median(copy) - low) / (high - low));
  }
  return !places.empty() && median(places) > 0.75;
}

// A spike has an edge: one step up or down that makes up a good part of it.
// The slow wander of a page cache has none.
bool is_sharp(std::span<const double> values, const Excursion& excursion) {
  const std::size_t from = excursion.first > 0 ? excursion.first - 1 : 0;
  const std::size_t to = std::min(values.size() - 1, excursion.last + 2);
  const double base = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(excursion.first),
                                        values.begin() + static_cast<std::ptrdiff_t>(excursion.last) + 1) -
                      excursion.height;
  double steepest = 0;
  for (std::size_t at = from + 1; at <= to; ++at) {
    // A rise from far below the level that it falls back to is a ramp or a jump, not the edge of a spike.
    const bool from_base = values[at - 1] >= base - 0.5 * excursion.height;
    if (values[at] < values[at - 1] || from_base)
      steepest = std::max(steepest, std::abs(values[at] - values[at - 1]));
  }
  return steepest > kEdge * excursion.height;
}

}  // namespace

void find_spikes(Evidence& e) {
  const Curve& curve = e.curve;
  const std::span<const double> means(curve.mean.data() + e.first, e.points);
  const double threshold =
      std::max({6 * curve.noise, 0.018 * curve.level, at_most_share(20 * base::kMB, curve.level, 0.1)});
  const std::vector<Excursion> all = find_excursions(means, threshold);
  const double big = std::max(0.03 * curve.level, at_most_share(80 * base::kMB, curve.level, 0.08));
  std::vector<double> lengths;
  std::vector<double> heights;
  std::size_t inside = 0;
  for (const Excursion& excursion : all) {
    inside += excursion.length();
    if (excursion.last + 1 >= e.points) continue;  // still open
    e.recovered.push_back(excursion);
    if (excursion.height > big && is_sharp(means, excursion)) {
      ++e.spikes;
      heights.push_back(excursion.height);
    }
    if (static_cast<double>(excursion.length()) < 0.45 * static_cast<double>(e.points)) {
      lengths.push_back(static_cast<double>(excursion.length()));
    }
  }
  std::sort(lengths.begin(), lengths.end());
  if (!lengths.empty()) {
    e.spike_points = static_cast<std::size_t>(
        lengths[static_cast<std::size_t>(0.9 * static_cast<double>(lengths.size() - 1))]);
  }
  e.spike_bytes = median(heights);
  e.spiky = e.recovered.size() >= 2 && static_cast<double>(inside) > 0.02 * static_cast<double>(e.points);
  if (e.spiky && dips_rather_than_spikes(means, threshold)) {
    e.spiky = false;
    e.spike_points = 0;
  }
}

}  // namespace lowtide::judge
