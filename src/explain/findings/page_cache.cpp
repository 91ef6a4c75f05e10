// Pages of files that were read stay resident until somebody needs the room.
// RSS and the cgroup's usage follow them; they are no leak.

#include <fmt/format.h>

#include <algorithm>

#include "explain/findings/catalogue.h"
#include "explain/settle/growth.h"
#include "explain/words.h"

namespace lowtide::explain {

void find_page_cache(const Scene& scene, Findings& out) {
  constexpr double kLeast = 32e6;     // bytes
  constexpr double kStaysFlat = 0.1;  // of the files' growth: what anonymous memory may move
  const Evidence& evidence = scene.evidence;
  const double mapped = change(evidence.target, evidence.early, evidence.late, &SeriesPoint::file_bytes);
  RecordedSeries cache;
  for (const CgroupMoment& moment : evidence.cgroup) {
    SeriesPoint point;
    point.at_s = moment.at_s;
    point.low_bytes =
        moment.reading.file_bytes - std::min(moment.reading.file_bytes, moment.reading.shmem_bytes);
    cache.push_back(point);
  }
  const double cached = change(cache, evidence.early, evidence.late);
  const double grown = std::max(mapped, cached);
  const double tree = tree_change(evidence);
  if (grown < std::max(kLeast, 0.05 * level(evidence.target, evidence.late).value_or(0))) return;

  const bool flat = tree <= kStaysFlat * grown;
  model::Finding finding;
  finding.id = "page-cache";
  finding.title =
      flat ? fmt::format("the page cache grew by {}, which is not a leak: the kernel can reclaim it",
                         bytes_words(grown))
           : fmt::format("the page cache grew by {}; this is not part of the growth of the process tree",
                         bytes_words(grown));
  finding.mechanism = model::Mechanism::PageCache;
  finding.confidence = 0.95;
  if (mapped >= kLeast) {
    finding.evidence.emplace_back(fmt::format("resident file pages grew by {}", bytes_words(mapped)));
  }
  if (cached >= kLeast) {
    finding.evidence.emplace_back(
        fmt::format("the file cache of the cgroup grew by {}", bytes_words(cached)));
  }
  finding.evidence.emplace_back("anonymous and shared memory of the process tree " + change_words(tree));
  finding.evidence.emplace_back("the kernel can reclaim the page cache at any time");
  finding.ruled_out = true;
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
