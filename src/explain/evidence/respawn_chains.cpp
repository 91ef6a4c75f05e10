#include "explain/evidence/respawn_chains.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace lowtide::explain {
namespace {

constexpr double kGrown = 0.9;  // of the typical size of a life: its start-up is over

double typical(const RecordedSeries& trail) {
  const Window all{trail.front().at_s, trail.back().at_s + trail.back().span_s};
  return level(trail, all).value_or(0);
}

}  // namespace

std::vector<RespawnChains> find_lives(const std::vector<ProcessEvidence>& processes) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t at = 0; at < processes.size(); ++at) {
    places.emplace(static_cast<std::uint32_t>(processes[at].info.id), at);
  }
  std::vector<std::optional<std::size_t>> next(processes.size());
  std::vector<bool> continues(processes.size(), false);
  for (std::size_t at = 0; at < processes.size(); ++at) {
    if (!processes[at].info.continues) continue;
    const auto before = places.find(static_cast<std::uint32_t>(*processes[at].info.continues));
    // Two that claim the same predecessor, or itself: only the first is believed.
    if (before == places.end() || before->second >= at || next[before->second]) continue;
    next[before->second] = at;
    continues[at] = true;
  }
  std::vector<RespawnChains> all;
  for (std::size_t at = 0; at < processes.size(); ++at) {
    if (continues[at]) continue;
    RespawnChains lives{at};
    while (next[lives.back()]) lives.push_back(*next[lives.back()]);
    all.push_back(std::move(lives));
  }
  return all;
}

RecordedSeries joined_trail(const std::vector<ProcessEvidence>& processes, const RespawnChains& lives) {
  RecordedSeries joined = processes[lives.front()].trail;
  for (std::size_t life = 1; life < lives.size(); ++life) {
    const RecordedSeries& trail = processes[lives[life]].trail;
    if (trail.empty()) continue;
    const double grown = kGrown * typical(trail);
    const auto from = std::find_if(trail.begin(), trail.end(), [&](const TrailPoint& point) {
      return static_cast<double>(point.low_bytes) >= grown;
    });
    joined.insert(joined.end(), from, trail.end());
  }
  return joined;
}

}  // namespace lowtide::explain
