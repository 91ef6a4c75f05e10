#include "explain/findings/held/sawtooth.h"

#include <algorithm>
#include <vector>

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestClimbs = 3;
constexpr double kShortFall = 0.35;    // of a climb
constexpr double kMostlyClimbs = 0.5;  // of the time

struct Turn {
  double at_s = 0;
  double bytes = 0;
};

// Lows and highs by turns; between two of them memory moves by `height_bytes` at least.
std::vector<Turn> turns_of(const RecordedSeries& trail, double height_bytes) {
  std::vector<Turn> turns;
  if (trail.empty()) return turns;
  const auto turn_at = [](const TrailPoint& point) {
    return Turn{point.at_s, static_cast<double>(point.low_bytes)};
  };
  Turn low = turn_at(trail.front());
  Turn high = low;
  bool climbs = true;
  for (const TrailPoint& point : trail) {
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

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

std::optional<Sawtooth> find_sawtooth(const RecordedSeries& trail, double height_bytes) {
  const std::vector<Turn> turns = turns_of(trail, height_bytes);
  std::vector<double> climbs;
  std::vector<double> falls;
  double climbing_s = 0;
  for (std::size_t at = 0; at + 1 < turns.size(); ++at) {
    const double took_s = turns[at + 1].at_s - turns[at].at_s;
    (at % 2 == 0 ? climbs : falls).push_back(took_s);
    if (at % 2 == 0) climbing_s += took_s;
  }
  if (climbs.size() < kFewestClimbs || falls.empty()) return std::nullopt;
  const Sawtooth found{climbs.size(), median_of(climbs), median_of(falls)};
  const double watched_s = turns.back().at_s - turns.front().at_s;
  if (found.fall_s > kShortFall * found.climb_s || climbing_s < kMostlyClimbs * watched_s)
    return std::nullopt;
  return found;
}

}  // namespace lowtide::explain
