#include "ingest/runs/writers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxLanes = 16;
constexpr std::size_t kFewestRounds = 5;
// Lanes count as apart when they are so many times farther from each other than they move in a step.
constexpr double kApart = 4;
constexpr double kLeastShare = 0.01;  // of the level: less does not change a verdict

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Rounds of equal length, lane by lane: do the lanes keep apart?
bool are_apart(const std::vector<std::vector<double>>& rounds) {
  const std::size_t lanes = rounds.front().size();
  double lowest = std::numeric_limits<double>::infinity();
  double highest = 0;
  double moves = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<double> levels;
    std::vector<double> steps;
    for (std::size_t at = 0; at < rounds.size(); ++at) {
      levels.push_back(rounds[at][lane]);
      if (at > 0) steps.push_back(std::abs(rounds[at][lane] - rounds[at - 1][lane]));
    }
    const double level = middle(levels);
    lowest = std::min(lowest, level);
    highest = std::max(highest, level);
    moves = std::max(moves, middle(steps));
  }
  return highest - lowest > std::max(kApart * moves, kLeastShare * highest);
}

std::size_t lanes_by_step(std::span<const LaneReading> readings) {
  std::map<double, std::vector<double>> by_step;
  for (const LaneReading& reading : readings) by_step[reading.step].push_back(reading.level);
  std::map<std::size_t, std::size_t> lengths;
  for (const auto& [step, levels] : by_step) ++lengths[levels.size()];
  const auto usual = std::max_element(lengths.begin(), lengths.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto [lanes, rounds_seen] = *usual;
  // Writers drift apart, so that the last steps are not complete yet.
  if (lanes < 2 || lanes > kMaxLanes || rounds_seen < kFewestRounds || 10 * rounds_seen < 6 * by_step.size())
    return 1;
  std::vector<std::vector<double>> rounds;
  for (auto& [step, levels] : by_step) {
    if (levels.size() != lanes) continue;
    std::sort(levels.begin(), levels.end());
    rounds.push_back(std::move(levels));
  }
  return are_apart(rounds) ? lanes : 1;
}

std::size_t lanes_by_order(std::span<const LaneReading> readings) {
  for (std::size_t lanes = 2; lanes <= kMaxLanes && readings.size() / lanes >= kFewestRounds; ++lanes) {
    std::vector<std::vector<double>> rounds;
    for (std::size_t at = 0; at + lanes <= readings.size(); at += lanes) {
      auto& round = rounds.emplace_back();
      for (std::size_t lane = 0; lane < lanes; ++lane) round.push_back(readings[at + lane].level);
    }
    if (are_apart(rounds)) return lanes;
  }
  return 1;
}

}  // namespace

std::size_t count_lanes(std::span<const LaneReading> readings) {
  if (readings.size() < 2 * kFewestRounds) return 1;
  const bool has_steps = std::none_of(readings.begin(), readings.end(),
                                      [](const LaneReading& reading) { return std::isnan(reading.step); });
  return has_steps ? lanes_by_step(readings) : lanes_by_order(readings);
}

std::size_t Writers::place(const LaneReading& reading) {
  if (by_ == By::Order) return std::exchange(next_, (next_ + 1) % lanes_.size());
  // The first round fills the lanes in the order of the file.
  const auto cost = [&](const Lane& lane) {
    if (!lane.used) return std::numeric_limits<double>::max();
    return std::abs(lane.level - reading.level);
  };
  Lane* best = nullptr;
  for (const bool any : {false, true}) {
    for (Lane& lane : lanes_) {
      if (!any && lane.step >= reading.step) continue;
      // A lane that was never used is for a step that all used ones have had.
      if (best == nullptr || cost(lane) < cost(*best)) best = &lane;
    }
    if (best != nullptr) break;
  }
  *best = {std::max(best->step, reading.step), reading.level, true};
  return static_cast<std::size_t>(best - lanes_.data());
}

void Writers::begin_run() {
  for (Lane& lane : lanes_) lane.step = kNever;
}

}  // namespace lowtide::ingest
