#include "explain/settle/target_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/settle/growth.h"
#include "explain/settle/process_count_growth.h"
#include "explain/settle/steady_rise.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr double kSureLeak = 0.9;  // confidence at which a process may speak for the tree
constexpr double kMostOfTheGrowth = 0.6;
constexpr double kCopiedPart = 0.5;            // of the tree's growth, by copy-on-write
constexpr double kStillShared = 0.5;           // of what was copied: so much more can still be
constexpr std::uint64_t kFewestReadings = 12;  // of PSS: between them nothing was seen
constexpr double kCopyConfidence = 0.85;
constexpr double kPileUpConfidence = 0.85;

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
struct Copying {
  double copied_bytes = 0;
  double shared_bytes = 0;  // that can still follow
};

Copying find_copying(const WatchedProcess& process, const Evidence& evidence) {
  const Window part{evidence.early.from_s, evidence.late.to_s};
  if (!copies_on_write(process, evidence) || process.pss_readings < kFewestReadings ||
      !find_steady_rise(process.trail, evidence.steps, part, 0).steady) {
    return {};
  }
  const auto late = [&](Pick pick) { return level(process.trail, evidence.late, pick).value_or(0); };
  return {process.change_bytes,
          late(&TrailPoint::rss_bytes) - late(&TrailPoint::file_bytes) - late(&TrailPoint::low_bytes)};
}

void call_copying(model::Verdict& verdict, const Copying& copying) {
  verdict.kind = VerdictKind::Leak;
  verdict.confidence = kCopyConfidence;
  verdict.reason =
      fmt::format("pages that were shared since the fork become private, {} so far, and {} can still follow",
                  bytes_words(copying.copied_bytes), bytes_words(copying.shared_bytes));
  verdict.needs.reset();
  verdict.lean.reset();
  verdict.basis.emplace_back("processes");
}

bool goes_on(const Copying& copying) {
  return copying.copied_bytes > 0 && copying.shared_bytes >= kStillShared * copying.copied_bytes;
}

bool settle_tree(model::Verdict& tree, const Evidence& evidence,
                 const std::vector<WatchedProcess>& processes) {
  Copying all;
  for (const WatchedProcess& process : processes) {
    const Copying copying = find_copying(process, evidence);
    all.copied_bytes += copying.copied_bytes;
    all.shared_bytes += copying.shared_bytes;
  }
  if (!goes_on(all) || all.copied_bytes < kCopiedPart * tree_change(evidence)) return false;
  call_copying(tree, all);
  return true;
}

}  // namespace

bool settle_with_count(model::Verdict& tree, const Evidence& evidence) {
  if (tree.kind != VerdictKind::Inconclusive || !leans_to_leak(tree)) return false;
  const ProcessCountGrowth process_count_growth = find_pile_up(evidence);
  if (!process_count_growth.goes_on) return false;
  tree.kind = VerdictKind::Leak;
  tree.confidence = kPileUpConfidence;
  tree.reason = fmt::format("processes pile up: {:.0f} at first, {:.0f} at the end, more and more all along",
                            process_count_growth.early, process_count_growth.late);
  tree.needs.reset();
  tree.lean.reset();
  tree.basis.emplace_back("processes");
  return true;
}

void settle_copying(std::vector<WatchedProcess>& processes, const Evidence& evidence) {
  for (WatchedProcess& process : processes) {
    model::Verdict& verdict = process.report.series.verdict;
    if (verdict.kind != VerdictKind::Inconclusive || !leans_to_leak(verdict)) continue;
    if (const Copying copying = find_copying(process, evidence); goes_on(copying)) {
      call_copying(verdict, copying);
    }
  }
}

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
  if (!leans_to_leak(tree) || settle_tree(tree, evidence, processes)) return;
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
