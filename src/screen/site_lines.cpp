#include "screen/site_lines.h"

#include "explain/settle/sites/own_frames.h"
#include "show/rows/sites.h"

namespace lowtide::screen {

void SiteLines::begin(const model::SiteInfo& site) {
  if (sites_.size() >= kMostSites) return;
  const std::string words = show::site_place(site.frames, explain::frame_to_act_on(site.frames));
  const auto place = places_.try_emplace(Place(site.process, words)).first;
  sites_.try_emplace(static_cast<std::uint32_t>(site.id), Site{.place = place, .live_bytes = 0});
}

void SiteLines::add(const model::Tick& tick) {
  for (const model::SiteReading& reading : tick.sites) {
    const auto found = sites_.find(static_cast<std::uint32_t>(reading.site));
    if (found == sites_.end()) continue;
    Site& site = found->second;
    Known& known = site.place->second;
    known.live_bytes = known.live_bytes - site.live_bytes + reading.live_bytes;
    site.live_bytes = reading.live_bytes;
  }
}

void SiteLines::forget_others(const std::map<model::ProcessId, std::int64_t>& pids) {
  std::erase_if(sites_, [&](const auto& entry) { return !pids.contains(entry.second.place->first.first); });
  std::erase_if(places_, [&](const auto& entry) { return !pids.contains(entry.first.first); });
}

std::vector<SiteLine> SiteLines::lines(const std::map<model::ProcessId, std::int64_t>& pids, double at_s) {
  forget_others(pids);
  std::vector<SiteLine> lines;
  for (auto& [place, known] : places_) {
    known.low.add(at_s, known.live_bytes);
    if (known.live_bytes == 0) continue;
    lines.push_back({.pid = pids.at(place.first),
                     .place = place.second,
                     .live_bytes = known.live_bytes,
                     .growth_bytes = known.low.growth_bytes(),
                     .bytes_per_s = known.low.bytes_per_s()});
  }
  return lines;
}

}  // namespace lowtide::screen
