#include "explain/settle/sites/doubling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/settle/growth.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestPoints = 24;
constexpr std::size_t kStairs = 3;
constexpr double kLeastGrowth = 8e6;   // bytes
constexpr double kLeastPart = 0.02;    // of what is held at the end
constexpr double kLeastRise = 0.04;    // of the growth, from one reading to the next, within a stair
constexpr double kOneStair = 0.02;     // of the run: rises that are as close belong together
constexpr double kLarger = 1.3;        // than the stair before, and as much later
constexpr double kMostLater = 3;       // a guess from three stairs goes no further
constexpr double kInStairs = 0.6;      // of the growth, in the last three stairs
constexpr double kMostBetween = 0.15;  // of the growth, after the first of them and beside them
constexpr double kPatience = 1.5;      // times the wait that is expected
constexpr double kMostOfGrowth = 0.6;  // of the tree, in one process
constexpr double kConfidence = 0.6;    // that it goes on

struct Place {
  double at = 0;
  double floor = 0;  // the lowest from here to the end: what is given back later is no growth
};

struct Stair {
  double from = 0;
  double at = 0;
  double bytes = 0;
};

std::vector<Place> floors_of(const RecordedSeries& series, const Steps& steps) {
  std::vector<Place> out;
  for (const SeriesPoint& point : series) {
    if (steps.known && point.at_s < steps.first_at_s) continue;
    const double at = steps.known ? point.step : point.at_s;
    if (!std::isfinite(at) || (!out.empty() && at < out.back().at)) continue;
    out.push_back({at, static_cast<double>(point.low_bytes)});
  }
  for (std::size_t at = out.size(); at-- > 1;) out[at - 1].floor = std::min(out[at - 1].floor, out[at].floor);
  return out;
}

std::vector<Stair> stairs_of(const std::vector<Place>& floors) {
  const double growth = floors.back().floor - floors.front().floor;
  const double span = floors.back().at - floors.front().at;
  std::vector<Stair> out;
  for (std::size_t at = 1; at < floors.size(); ++at) {
    const double rise = floors[at].floor - floors[at - 1].floor;
    if (rise < kLeastRise * growth) continue;
    if (!out.empty() && floors[at].at - out.back().at <= kOneStair * span) {
      out.back().at = floors[at].at;
      out.back().bytes += rise;
    } else {
      out.push_back({floors[at - 1].at, floors[at].at, rise});
    }
  }
  return out;
}

double floor_at(const std::vector<Place>& floors, double place) {
  const auto after =
      std::find_if(floors.begin(), floors.end(), [&](const Place& each) { return each.at >= place; });
  return after == floors.end() ? floors.back().floor : after->floor;
}

}  // namespace

std::optional<Doubling> find_doubling(const RecordedSeries& series, const Steps& steps) {
  const std::vector<Place> floors = floors_of(series, steps);
  if (floors.size() < kFewestPoints) return std::nullopt;
  const double growth = floors.back().floor - floors.front().floor;
  if (growth < std::max(kLeastGrowth, kLeastPart * floors.back().floor)) return std::nullopt;
  const std::vector<Stair> stairs = stairs_of(floors);
  if (stairs.size() < kStairs) return std::nullopt;
  const Stair& first = stairs[stairs.size() - 3];
  const Stair& second = stairs[stairs.size() - 2];
  const Stair& third = stairs[stairs.size() - 1];
  const double wait = second.at - first.at;
  const double next_wait = third.at - second.at;
  if (second.bytes < kLarger * first.bytes || third.bytes < kLarger * second.bytes ||
      next_wait < kLarger * wait)
    return std::nullopt;
  const double in_stairs = first.bytes + second.bytes + third.bytes;
  const double between = floors.back().floor - floor_at(floors, first.from) - in_stairs;
  if (in_stairs < kInStairs * growth || between > kMostBetween * growth) return std::nullopt;
  const double expected = next_wait * std::min(next_wait / wait, kMostLater);
  const Doubling out{third.at + expected, third.at + kPatience * expected, growth};
  if (floors.back().at > out.last_wait) return std::nullopt;
  return out;
}

std::optional<Argument> next_stair_is_due(const RecordedSeries& series, const Steps& steps,
                                          double tree_bytes) {
  const auto doubling = find_doubling(series, steps);
  if (!doubling || doubling->growth < kLeastPart * tree_bytes) return std::nullopt;
  const auto count = [](double value) {
    return base::format_count(static_cast<std::uint64_t>(std::max(1.0, value)));
  };
  const double now = floors_of(series, steps).back().at;
  const double missing = doubling->last_wait - now;
  return Argument{
      .rule = ArgumentKind::NextStair,
      .reason =
          fmt::format("memory rose in stairs; each was larger and came after a longer wait, as when a table "
                      "doubles; the next is expected at about {}",
                      steps.known ? "step " + count(doubling->due) : base::format_seconds(doubling->due)),
      .needs = steps.known ? model::Needs{model::NeedsKind::MoreSteps, std::floor(std::max(1.0, missing))}
                           : model::Needs{model::NeedsKind::MoreSeconds, missing},
      .confidence = kConfidence};
}

std::optional<Argument> next_stair_is_due(const std::vector<WatchedProcess>& processes,
                                          const Evidence& evidence) {
  if (auto of_tree = next_stair_is_due(evidence.target, evidence.steps)) return of_tree;
  const double growth = tree_change(evidence);
  if (growth < kLeastPart * level(evidence.target, evidence.late).value_or(0)) return std::nullopt;
  for (const WatchedProcess& process : processes) {
    if (process.there_late && process.change_bytes >= kMostOfGrowth * growth &&
        !copies_on_write(process, evidence))
      if (auto found = next_stair_is_due(process.series, evidence.steps)) return found;
  }
  return std::nullopt;
}

}  // namespace lowtide::explain
