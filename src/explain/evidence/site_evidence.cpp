#include "explain/evidence/site_evidence.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "explain/evidence/bounded_series.h"

namespace lowtide::explain {

SiteMoment SiteEvidence::at(double at_s) const {
  const auto after = std::upper_bound(moments.begin(), moments.end(), at_s,
                                      [](double wanted, const SiteMoment& m) { return wanted < m.at_s; });
  return after == moments.begin() ? SiteMoment{} : *(after - 1);
}

std::vector<SiteEvidence> read_sites(record::Recording& recording) {
  std::vector<SiteEvidence> sites;
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (model::SiteInfo& info : recording.sites()) {
    places.emplace(static_cast<std::uint32_t>(info.id), sites.size());
    sites.push_back({std::move(info), {}});
  }
  std::vector<BoundedSeries<SiteMoment>> moments(sites.size(), BoundedSeries<SiteMoment>(kMostSiteMoments));
  recording.for_each_site([&](const record::SitePoint& point) {
    const auto place = places.find(static_cast<std::uint32_t>(point.last.site));
    if (place == places.end()) return;  // a damaged recording: a reading of no site
    const model::SiteReading& last = point.last;
    moments[place->second].add({point.at_s, last.live_bytes, last.live_samples, last.allocated_bytes,
                                last.allocated_samples, last.shared_bytes, last.error_bytes, last.old});
  });
  for (std::size_t at = 0; at < sites.size(); ++at) sites[at].moments = moments[at].take();
  sites.erase(std::remove_if(sites.begin(), sites.end(),
                             [](const SiteEvidence& site) { return site.moments.empty(); }),
              sites.end());
  for (SiteEvidence& site : sites) {
    std::stable_sort(site.moments.begin(), site.moments.end(),
                     [](const SiteMoment& a, const SiteMoment& b) { return a.at_s < b.at_s; });
  }
  return sites;
}

std::vector<SiteEvidence> take_driver_sites(std::vector<SiteEvidence>& sites) {
  const auto first = std::stable_partition(sites.begin(), sites.end(), [](const SiteEvidence& site) {
    return site.info.memory == model::SiteMemory::Host;
  });
  std::vector<SiteEvidence> out(std::make_move_iterator(first), std::make_move_iterator(sites.end()));
  sites.erase(first, sites.end());
  return out;
}

std::vector<HeapEvidence> read_heaps(record::Recording& recording) {
  constexpr std::size_t kMostHeaps = 25'000;  // as many as there are processes
  std::vector<HeapEvidence> heaps;
  std::vector<BoundedSeries<SeriesPoint>> live;
  std::unordered_map<std::uint32_t, std::size_t> places;
  recording.for_each_heap([&](const record::HeapPoint& point) {
    const auto process = static_cast<std::uint32_t>(point.last.process);
    if (heaps.size() >= kMostHeaps && !places.contains(process)) return;
    const auto [place, is_new] = places.emplace(process, heaps.size());
    if (is_new) {
      heaps.push_back({point.last.process, {}, {}});
      live.emplace_back(kMostPoints);
    }
    live[place->second].add(to_series_point(point));
    heaps[place->second].last = point.last;
  });
  for (std::size_t at = 0; at < heaps.size(); ++at) heaps[at].live = live[at].take();
  return heaps;
}

}  // namespace lowtide::explain
