#include "explain/evidence/respawn_chains.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace lowtide::explain {
namespace {

constexpr double kGrown = 0.9;  // of the typical size of a life: its start-up is over

double typical(const RecordedSeries& series) {
  const Window all{series.front().at_s, series.back().at_s + series.back().span_s};
  return level(series, all).value_or(0);
}

}  // namespace

std::vector<RespawnChain> find_respawn_chains(const std::vector<ProcessEvidence>& processes) {
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
  std::vector<RespawnChain> all;
  for (std::size_t at = 0; at < processes.size(); ++at) {
    if (continues[at]) continue;
    RespawnChain chain{at};
    while (next[chain.back()]) chain.push_back(*next[chain.back()]);
    all.push_back(std::move(chain));
  }
  return all;
}

RecordedSeries joined_series(const std::vector<ProcessEvidence>& processes, const RespawnChain& chain) {
  RecordedSeries joined = processes[chain.front()].series;
  for (std::size_t life = 1; life < chain.size(); ++life) {
    const RecordedSeries& series = processes[chain[life]].series;
    if (series.empty()) continue;
    const double grown = kGrown * typical(series);
    const auto from = std::find_if(series.begin(), series.end(), [&](const SeriesPoint& point) {
      return static_cast<double>(point.low_bytes) >= grown;
    });
    joined.insert(joined.end(), from, series.end());
  }
  return joined;
}

}  // namespace lowtide::explain
