#include "explain/settle/process_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/evidence/forked_children.h"
#include "explain/settle/growth.h"
#include "explain/settle/steady_rise.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr double kSureLeak = 0.9;  // confidence at which a process may speak for the tree
constexpr double kMostOfTreeGrowth = 0.6;
constexpr double kCopiedPart = 0.5;               // of the tree's growth, by copy-on-write
constexpr double kStillShared = 0.5;              // of what was copied: so much more can still be
constexpr std::uint64_t kFewestPssReadings = 12;  // between them nothing was seen

bool is_replaced_worker(const WatchedProcess& process) {
  return process.report.processes > 1 && shares_pages(process.series);
}

enum class Replaced { Count, DoNotCount };

const WatchedProcess* find_sure_leak(const std::vector<WatchedProcess>& processes, double all,
                                     Replaced replaced = Replaced::Count) {
  for (const WatchedProcess& process : processes) {
    if (replaced == Replaced::DoNotCount && is_replaced_worker(process)) continue;
    const model::Verdict& verdict = process.report.series.verdict;
    if (verdict.kind != VerdictKind::Leak || verdict.confidence < kSureLeak || !process.there_late) continue;
    // The tree must have grown as well: memory that moves between two processes is not a leak.
    if (all > 0 && process.change_bytes >= kMostOfTreeGrowth * all && all >= 0.5 * process.change_bytes) {
      return &process;
    }
  }
  return nullptr;
}

// Processes that leak, none of which accounts for the growth of the tree alone: workers that run the same
// code.
std::vector<const WatchedProcess*> find_sure_leaks(const std::vector<WatchedProcess>& processes, double all) {
  std::vector<const WatchedProcess*> out;
  double sum = 0;
  for (const WatchedProcess& process : processes) {
    const model::Verdict& verdict = process.report.series.verdict;
    if (verdict.kind != VerdictKind::Leak || verdict.confidence < kSureLeak || !process.there_late) continue;
    out.push_back(&process);
    sum += process.change_bytes;
  }
  const bool is_the_growth = all > 0 && sum >= kMostOfTreeGrowth * all && all >= 0.5 * sum;
  return is_the_growth ? out : std::vector<const WatchedProcess*>{};
}

// The paces of all of them together; absent if they are not on one axis.
std::optional<model::Rate> rate_of_all(const std::vector<const WatchedProcess*>& leaks) {
  std::optional<model::Rate> out;
  for (const WatchedProcess* leak : leaks) {
    const model::Verdict& verdict = leak->report.series.verdict;
    if (!verdict.rate || verdict.axis != leaks.front()->report.series.verdict.axis) return std::nullopt;
    if (!out) {
      out = verdict.rate;
      continue;
    }
    out->bytes += verdict.rate->bytes;
    out->low += verdict.rate->low;
    out->high += verdict.rate->high;
  }
  return out;
}

// Workers that go on copying. Their series alone does not show it, but the bytes that they copied and can
// still copy do.
struct Copying {
  double copied_bytes = 0;
  double shared_bytes = 0;  // that can still be copied
};

Copying find_copying(const WatchedProcess& process, const Evidence& evidence) {
  const Window part{evidence.early.from_s, evidence.late.to_s};
  if (!copies_on_write(process, evidence) || process.pss_readings < kFewestPssReadings ||
      !find_steady_rise(process.series, evidence.steps, part, 0).steady) {
    return {};
  }
  return {process.change_bytes, remaining_shared_bytes(process, evidence)};
}

bool goes_on(const Copying& copying) {
  return copying.copied_bytes > 0 && copying.shared_bytes >= kStillShared * copying.copied_bytes;
}

Argument copying_argument(const Copying& copying) {
  return {.rule = ArgumentKind::CopyOnWrite,
          .reason =
              fmt::format("workers copied {} of pages that they shared since the fork, and can copy {} more",
                          bytes_words(copying.copied_bytes), bytes_words(copying.shared_bytes))};
}

}  // namespace

std::optional<Argument> too_few_readings(const WatchedProcess& process) {
  std::uint64_t readings = 0;
  for (const SeriesPoint& point : process.series) readings += point.count;
  if (readings >= kFewestPssReadings) return std::nullopt;
  return Argument{
      .rule = ArgumentKind::TooFewReadings,
      .reason = fmt::format("only {} reading{} of this process", readings, readings == 1 ? "" : "s"),
      .needs = model::Needs{model::NeedsKind::Readings, kFewestPssReadings}};
}

std::optional<Argument> leak_from_process(const Evidence& evidence,
                                          const std::vector<WatchedProcess>& processes) {
  const double all = tree_change(evidence);
  if (const WatchedProcess* leak = find_sure_leak(processes, all)) {
    const model::Verdict& verdict = leak->report.series.verdict;
    return Argument{.rule = ArgumentKind::LeakingProcess,
                    .reason = fmt::format("{} leaks, and it accounts for the growth of the process tree: {}",
                                          process_words(leak->report.info), verdict.reason),
                    .confidence = verdict.confidence,
                    .of_process = verdict};
  }
  const std::vector<const WatchedProcess*> leaks = find_sure_leaks(processes, all);
  if (leaks.empty()) return std::nullopt;
  const auto is_less_sure = [](const WatchedProcess* a, const WatchedProcess* b) {
    return a->report.series.verdict.confidence < b->report.series.verdict.confidence;
  };
  model::Verdict verdict =
      (*std::min_element(leaks.begin(), leaks.end(), is_less_sure))->report.series.verdict;
  verdict.rate = rate_of_all(leaks);
  return Argument{.rule = ArgumentKind::LeakingProcess,
                  .reason = fmt::format("{} processes leak, and together they account for the growth of the "
                                        "process tree; {}: {}",
                                        leaks.size(), process_words(leaks.front()->report.info),
                                        leaks.front()->report.series.verdict.reason),
                  .confidence = verdict.confidence,
                  .of_process = verdict};
}

const WatchedProcess* find_leak_beside_replaced(const Evidence& evidence,
                                                const std::vector<WatchedProcess>& processes) {
  double lasting = tree_change(evidence);
  bool is_any_replaced = false;
  for (const WatchedProcess& process : processes) {
    if (!is_replaced_worker(process)) continue;
    lasting -= process.change_bytes;
    is_any_replaced = true;
  }
  return is_any_replaced ? find_sure_leak(processes, lasting, Replaced::DoNotCount) : nullptr;
}

std::optional<Argument> leak_beside_replaced(const Evidence& evidence,
                                             const std::vector<WatchedProcess>& processes) {
  const WatchedProcess* leak = find_leak_beside_replaced(evidence, processes);
  if (leak == nullptr) return std::nullopt;
  const model::Verdict& verdict = leak->report.series.verdict;
  return Argument{.rule = ArgumentKind::LeakBesideReplaced,
                  .reason = fmt::format("{} leaks: {}; what replaced workers copy ends with them",
                                        process_words(leak->report.info), verdict.reason),
                  .confidence = verdict.confidence,
                  .of_process = verdict};
}

std::optional<Argument> leak_from_copy_on_write(const WatchedProcess& process, const Evidence& evidence) {
  const Copying copying = find_copying(process, evidence);
  if (!goes_on(copying)) return std::nullopt;
  return copying_argument(copying);
}

std::optional<Argument> leak_from_copy_on_write(const std::vector<WatchedProcess>& processes,
                                                const Evidence& evidence) {
  Copying all;
  for (const WatchedProcess& process : processes) {
    const Copying copying = find_copying(process, evidence);
    all.copied_bytes += copying.copied_bytes;
    all.shared_bytes += copying.shared_bytes;
  }
  if (!goes_on(all) || all.copied_bytes < kCopiedPart * tree_change(evidence)) return std::nullopt;
  return copying_argument(all);
}

std::optional<Argument> no_process_grows(const std::vector<WatchedProcess>& processes,
                                         const Evidence& evidence) {
  // Memory that no process maps is in none of them.
  constexpr double kMost = 0.5;  // of the growth of the tree
  const double unmapped = shared_memory_growth(evidence, processes).unmapped_bytes;
  if (unmapped > 0 && unmapped >= kMost * tree_change(evidence)) return std::nullopt;
  const bool none_grows = std::none_of(processes.begin(), processes.end(), [](const WatchedProcess& process) {
    const model::Verdict& verdict = process.report.series.verdict;
    return model::may_leak(verdict) || (process.there_late && verdict.kind == VerdictKind::Inconclusive);
  });
  if (!none_grows || processes.empty()) return std::nullopt;
  return Argument{.rule = ArgumentKind::NoProcessGrows, .reason = "; none of its processes grows"};
}

}  // namespace lowtide::explain
