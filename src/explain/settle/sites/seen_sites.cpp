#include "explain/settle/sites/seen_sites.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lowtide::explain {

double window_middle(const Window& window) {
  return (window.from_s + window.to_s) / 2;
}

Seen seen_of(const Evidence& evidence, const ProcessEvidence& process) {
  const auto heap = std::find_if(evidence.heaps.begin(), evidence.heaps.end(),
                                 [&](const HeapEvidence& each) { return each.process == process.info.id; });
  Seen seen{{0, -1}, evidence.early, 0};
  if (heap == evidence.heaps.end() || heap->live.empty()) return seen;
  seen.all = {heap->live.front().at_s, heap->live.back().at_s + heap->live.back().span_s};
  seen.interval_bytes = static_cast<double>(heap->last.interval_bytes);
  if (seen.all.from_s <= evidence.early.from_s) return seen;
  // The agent came later, or the process did: measured from then.
  constexpr double kEarly = 0.15;
  const double span_s = std::max(0.0, evidence.late.from_s - seen.all.from_s);
  seen.early = {std::max(seen.all.from_s, evidence.early.from_s), 0};
  seen.early.to_s = std::max(evidence.early.to_s, seen.all.from_s + kEarly * span_s);
  return seen;
}

RecordedSeries moments_of(const Evidence& evidence) {
  constexpr std::size_t kMostMoments = 2000;
  const std::size_t stride = evidence.ticks.size() / kMostMoments + 1;
  RecordedSeries out;
  for (std::size_t at = 0; at < evidence.ticks.size(); at += stride) {
    SeriesPoint point;
    point.at_s = evidence.ticks[at].at_s;
    point.step = evidence.ticks[at].step;
    out.push_back(point);
  }
  return out;
}

RecordedSeries sum_of(const std::vector<const SiteEvidence*>& members, const RecordedSeries& moments,
                      const Window& window) {
  std::vector<std::pair<double, double>> changes;
  for (const SiteEvidence* member : members) {
    double before = 0;
    for (const SiteMoment& moment : member->moments) {
      const auto bytes = static_cast<double>(moment.live_bytes);
      changes.emplace_back(moment.at_s, bytes - before);
      before = bytes;
    }
  }
  std::sort(changes.begin(), changes.end());
  RecordedSeries out;
  double sum = 0;
  auto next = changes.begin();
  for (const SeriesPoint& moment : moments) {
    if (moment.at_s < window.from_s || moment.at_s > window.to_s) continue;
    for (; next != changes.end() && next->first <= moment.at_s; ++next) sum += next->second;
    out.push_back(moment);
    out.back().low_bytes = out.back().high_bytes = static_cast<std::uint64_t>(std::max(0.0, sum));
  }
  return out;
}

double site_growth(const SiteEvidence& site, const Window& early, const Window& late) {
  return static_cast<double>(site.at(window_middle(late)).live_bytes) -
         static_cast<double>(site.at(window_middle(early)).live_bytes);
}

double variance_of(const SiteMoment& moment, const Seen& seen) {
  if (!moment.error_bytes) {
    return seen.interval_bytes * seen.interval_bytes * static_cast<double>(moment.live_samples);
  }
  const auto error = static_cast<double>(*moment.error_bytes);
  return error * error;
}

}  // namespace lowtide::explain
