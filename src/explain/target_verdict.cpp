#include "explain/target_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/growth.h"
#include "explain/steady_rise.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr double kSureLeak = 0.9;  // confidence at which a process may speak for the tree
constexpr double kMostOfTheGrowth = 0.6;
constexpr double kCopiedPart = 0.5;            // of the tree's growth, by copy-on-write
constexpr double kStillShared = 0.5;           // of what was copied: so much more can still be
constexpr std::uint64_t kFewestReadings = 24;  // of PSS: between them nothing was seen
constexpr double kCopyConfidence = 0.85;

bool leans_to_leak(const model::Verdict& verdict) {
  return verdict.kind == VerdictKind::Leak || (verdict.kind == VerdictKind::Inconclusive && verdict.lean &&
                                               verdict.lean->kind == VerdictKind::Leak);
}

const WatchedProcess* find_sure_leak(const Evidence& evidence, const std::vector<WatchedProcess>& processes) {
  const double all = tree_change(evidence);
  for (const WatchedProcess& process : processes) {
    const model::Verdict& verdict = process.report.series.verdict;
    if (verdict.kind != VerdictKind::Leak || verdict.confidence < kSureLeak || !process.there_late) continue;
    // The tree must have grown by it: what one process gains and another loses is no leak.
    if (all > 0 && process.change_bytes >= kMostOfTheGrowth * all && all >= 0.5 * process.change_bytes) {
      return &process;
    }
  }
  return nullptr;
}

// Workers that go on copying: their series alone cannot say so, but what they copy and what
// is left to copy can be seen.
bool settle_copy_on_write(model::Verdict& tree, const Evidence& evidence,
                          const std::vector<WatchedProcess>& processes) {
  const Window part{evidence.early.from_s, evidence.late.to_s};
  double copied = 0;
  double shared = 0;
  for (const WatchedProcess& process : processes) {
    if (!copies_on_write(process, evidence) || process.pss_readings < kFewestReadings) continue;
    if (!find_steady_rise(process.trail, evidence.steps, part, 0).steady) continue;
    copied += process.change_bytes;
    const auto late = [&](Pick pick) { return level(process.trail, evidence.late, pick).value_or(0); };
    shared += late(&TrailPoint::rss_bytes) - late(&TrailPoint::file_bytes) - late(&TrailPoint::low_bytes);
  }
  const double all = tree_change(evidence);
  if (!(all > 0) || copied < kCopiedPart * all || shared < kStillShared * copied) return false;
  tree.kind = VerdictKind::Leak;
  tree.confidence = kCopyConfidence;
  tree.reason =
      fmt::format("pages that were shared since the fork become private, {} so far, and {} can still follow",
                  bytes_words(copied), bytes_words(shared));
  tree.needs.reset();
  tree.lean.reset();
  tree.basis.emplace_back("processes");
  return true;
}

}  // namespace

void join_with_processes(model::Verdict& tree, const Evidence& evidence,
                         const std::vector<WatchedProcess>& processes) {
  if (tree.kind != VerdictKind::Inconclusive || processes.empty()) return;
  if (const WatchedProcess* leak = find_sure_leak(evidence, processes)) {
    const model::Verdict& verdict = leak->report.series.verdict;
    tree.kind = VerdictKind::Leak;
    tree.confidence = verdict.confidence;
    tree.axis = verdict.axis;
    tree.rate = verdict.rate;
    tree.reason = fmt::format("{} leaks, and it is what the tree grew by: {}",
                              process_words(leak->report.info), verdict.reason);
    tree.needs.reset();
    tree.lean.reset();
    tree.basis.emplace_back("processes");
    return;
  }
  if (!leans_to_leak(tree) || settle_copy_on_write(tree, evidence, processes)) return;
  const bool nobody_leans = std::none_of(
      processes.begin(), processes.end(),
      [](const WatchedProcess& process) { return leans_to_leak(process.report.series.verdict); });
  const bool all_judged = std::all_of(processes.begin(), processes.end(), [](const WatchedProcess& process) {
    return !process.there_late || process.report.series.verdict.kind != VerdictKind::Inconclusive;
  });
  if (!nobody_leans || !all_judged) return;
  tree.lean.reset();
  tree.reason += "; no process of it grows by itself";
  tree.basis.emplace_back("processes");
}

}  // namespace lowtide::explain
