// Workers that were forked share the parent's pages until they write to them,
// and in Python reading an object writes its reference count. RSS does not see
// it: the page was resident before and is resident after.

#include <fmt/format.h>

#include <algorithm>

#include "explain/findings/catalogue.h"
#include "explain/settle/growth.h"
#include "explain/words.h"

namespace lowtide::explain {

void find_copy_on_write(const Scene& scene, Findings& out) {
  if (scene.report.verdict.kind == model::VerdictKind::Stable) return;
  std::vector<const WatchedProcess*> copying;
  double bytes = 0;
  double rss_bytes = 0;
  for (const WatchedProcess& process : scene.processes) {
    if (!copies_on_write(process, scene.evidence)) continue;
    copying.push_back(&process);
    bytes += process.change_bytes;
    rss_bytes += change(process.trail, scene.evidence.early, scene.evidence.late, &TrailPoint::rss_bytes);
  }
  const double tree = tree_change(scene.evidence);
  if (copying.empty() || bytes < 0.1 * tree) return;
  const model::ProcessInfo& first = copying.front()->report.info;
  model::Finding finding;
  finding.id = "copy-on-write";
  finding.severity = model::Severity::High;
  finding.title =
      copying.size() == 1
          ? fmt::format("{} turns shared pages into its own (copy-on-write), {} so far", process_words(first),
                        bytes_words(bytes))
          : fmt::format("{} {} turn shared pages into their own (copy-on-write), {} so far", copying.size(),
                        role_words(first.role, copying.size()), bytes_words(bytes));
  finding.mechanism = model::Mechanism::CopyOnWrite;
  if (copying.size() == 1) finding.pid = first.pid;
  if (tree > 0) finding.share = std::clamp(bytes / tree, 0.0, 1.0);
  finding.confidence = 0.9;
  finding.evidence = {fmt::format("private memory grew by {} while the resident set changed by {}",
                                  bytes_words(bytes), bytes_words(rss_bytes)),
                      "a page that was shared since the fork becomes private when it is written to"};
  finding.fix =
      "keep the data set in arrays (numpy, arrow, one bytes blob) instead of lists and dicts of Python "
      "objects, "
      "whose reference counts are written when they are read; or use fewer workers";
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
