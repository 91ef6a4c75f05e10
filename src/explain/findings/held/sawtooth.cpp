#include "explain/findings/held/sawtooth.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "explain/settle/holders/holder_history.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestClimbs = 3;
constexpr double kShortFall = 0.35;    // of a climb
constexpr double kMostlyClimbs = 0.5;  // of the time

struct Turn {
  double at_s = 0;
  double bytes = 0;
  double step = model::kUnknown;
};

// Lows and highs by turns; between two of them memory moves by `height_bytes` at least.
std::vector<Turn> turns_of(const RecordedSeries& series, double height_bytes) {
  std::vector<Turn> turns;
  if (series.empty()) return turns;
  const auto turn_at = [](const SeriesPoint& point) {
    return Turn{point.at_s, static_cast<double>(point.low_bytes), point.step};
  };
  Turn low = turn_at(series.front());
  Turn high = low;
  bool climbs = true;
  for (const SeriesPoint& point : series) {
    const Turn here = turn_at(point);
    if (climbs) {
      if (here.bytes >= high.bytes) high = here;
      if (turns.empty() && here.bytes < low.bytes) low = high = here;
      if (high.bytes - here.bytes < height_bytes || high.bytes - low.bytes < height_bytes) continue;
      turns.push_back(low);
      turns.push_back(high);
      low = here;
    } else {
      if (here.bytes <= low.bytes) low = here;
      if (here.bytes - low.bytes < height_bytes) continue;
      high = here;
    }
    climbs = !climbs;
  }
  return turns;
}

// When memory leaves the low: a floor that rises a little between spikes is rest, not a climb.
Turn leaves_at(const RecordedSeries& series, const Turn& low, const Turn& high) {
  constexpr double kStillLow = 0.2;  // of the way
  Turn out = low;
  for (const SeriesPoint& point : series) {
    if (point.at_s > high.at_s) break;
    const bool is_low =
        static_cast<double>(point.low_bytes) <= low.bytes + kStillLow * (high.bytes - low.bytes);
    if (point.at_s >= low.at_s && is_low) out = {point.at_s, low.bytes, point.step};
  }
  return out;
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

std::optional<Sawtooth> find_sawtooth(const RecordedSeries& series, double height_bytes) {
  const std::vector<Turn> turns = turns_of(series, height_bytes);
  std::vector<double> climbs;
  std::vector<double> falls;
  std::vector<double> steps;
  double climbing_s = 0;
  for (std::size_t at = 0; at + 1 < turns.size(); ++at) {
    const bool is_climb = at % 2 == 0;
    const Turn& to = turns[at + 1];
    const Turn from = is_climb ? leaves_at(series, turns[at], to) : turns[at];
    (is_climb ? climbs : falls).push_back(to.at_s - from.at_s);
    if (!is_climb) continue;
    climbing_s += to.at_s - from.at_s;
    if (!std::isnan(to.step - from.step)) steps.push_back(to.step - from.step);
  }
  if (climbs.size() < kFewestClimbs || falls.empty()) return std::nullopt;
  const Sawtooth found{climbs.size(), median_of(climbs), median_of(falls),
                       steps.size() == climbs.size() ? median_of(steps) : model::kUnknown};
  const double watched_s = turns.back().at_s - turns.front().at_s;
  if (found.fall_s > kShortFall * found.climb_s || climbing_s < kMostlyClimbs * watched_s)
    return std::nullopt;
  return found;
}

const model::HeldNode* find_emptied(const std::vector<record::RecordedSnapshot>& snapshots,
                                    double least_bytes) {
  const model::HeldNode* found = nullptr;
  for (std::size_t at = 0; at < snapshots.size(); ++at) {
    const auto later = std::find_if(
        snapshots.begin() + static_cast<std::ptrdiff_t>(at) + 1, snapshots.end(),
        [&](const record::RecordedSnapshot& next) { return next.process == snapshots[at].process; });
    if (later == snapshots.end() || !later->snapshot.has_holders || later->snapshot.is_at_end) continue;
    for (const model::HeldNode& node : snapshots[at].snapshot.nodes) {
      // Not a module, and not what only C holds.
      if (node.path.starts_with('<') || node.path.find('.') == std::string::npos) continue;
      const model::HeldNode* after = find_node(later->snapshot, node);
      const double left = after == nullptr ? 0 : static_cast<double>(model::held_bytes(*after));
      const bool is_emptied = static_cast<double>(model::held_bytes(node)) - left >= least_bytes;
      if (is_emptied && (found == nullptr || node.path.size() > found->path.size())) found = &node;
    }
  }
  return found;
}

}  // namespace lowtide::explain
