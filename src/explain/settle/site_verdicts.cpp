#include "explain/settle/site_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/settle/growth.h"
#include "explain/settle/small_growth.h"
#include "explain/settle/steady_rise.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::Verdict;
using model::VerdictKind;

constexpr double kFewestSamples = 20;  // of all places together; of each half as many
constexpr double kFewestSteps = 50;    // that the rise was watched for ...
constexpr double kFewestSeconds = 60;  // ... or so long, where there are no steps
constexpr double kKeptShare = 0.6;     // of a place's growth, from stacks that free next to nothing
// Of the growth of resident memory. Aligned blocks leave holes as large as they are, so it is up
// to twice what is alive (docs/architecture.md, "sites"), and that is an estimate.
constexpr double kLargePart = 0.4;
constexpr double kSmallPart = 0.2;         // the same, for what is alive and does not explain it
constexpr double kWatchedPart = 0.8;       // of the growth, in processes that an agent is in
constexpr double kLeastChange = 1e6;       // bytes
constexpr double kSlowerThanWarmup = 0.8;  // pace of the second half, against a lean to a warm-up

Window judged_part(const Evidence& evidence, const Window& early) {
  return {early.from_s, evidence.late.to_s};
}

bool is_long_enough(const Evidence& evidence, const Window& window) {
  if (!evidence.steps.known) return window.to_s - window.from_s >= kFewestSeconds * 0.9;
  double first = NAN;
  double last = NAN;
  for (const TrailPoint& point : evidence.ticks) {
    if (point.at_s < window.from_s || std::isnan(point.step)) continue;
    if (std::isnan(first)) first = point.step;
    last = point.step;
  }
  return last - first >= kFewestSteps;
}

SteadyRise rise_of(const SiteGroup& group, const Evidence& evidence) {
  return find_steady_rise(group.live, evidence.steps, judged_part(evidence, group.early), group.new_samples);
}

double confidence_of(double samples, const Evidence& evidence) {
  const double by_samples = 0.97 - 0.5 / std::sqrt(std::max(1.0, samples));
  return evidence.steps.known ? by_samples : by_samples - 0.03;
}

bool is_open(const Verdict& verdict) {
  return verdict.kind == VerdictKind::Inconclusive;
}

bool leans_to(const Verdict& verdict, VerdictKind kind) {
  return verdict.lean && verdict.lean->kind == kind;
}

void call_leak(Verdict& verdict, double confidence, std::string reason) {
  verdict.kind = VerdictKind::Leak;
  verdict.confidence = confidence;
  verdict.reason = std::move(reason);
  verdict.needs.reset();
  verdict.lean.reset();
  verdict.warmup_end.reset();
  verdict.plateau_bytes.reset();
  verdict.basis.emplace_back("sites");
}

// The kept groups, of one process or of all, and what they come to.
struct Kept {
  std::vector<const SiteGroup*> groups;  // most growth first
  double bytes = 0;
  double samples = 0;
  double slowest = 1;  // pace of the second half, of the largest
};

Kept find_kept(const Sites& sites, const Evidence& evidence, const model::ProcessId* process) {
  Kept out;
  for (const SiteGroup& group : sites.groups) {
    if ((process != nullptr && group.process.id != *process) || !is_kept(group, evidence)) continue;
    if (out.groups.empty()) out.slowest = rise_of(group, evidence).second_half;
    out.groups.push_back(&group);
    out.bytes += group.change_bytes;
    out.samples += group.new_samples;
  }
  return out;
}

bool settles(const Kept& kept, const Verdict& open, double grown_bytes) {
  if (kept.groups.empty() || kept.samples < kFewestSamples || grown_bytes < kLeastChange) return false;
  if (kept.bytes < kLargePart * grown_bytes) return false;
  // The series itself sees an end coming: then the sites must be plainer.
  if (leans_to(open, VerdictKind::Warmup)) return kept.slowest >= kSlowerThanWarmup;
  return !open.lean || leans_to(open, VerdictKind::Leak);
}

std::string leak_words(const Kept& kept, double grown_bytes) {
  const SiteGroup& first = *kept.groups.front();
  return fmt::format(
      "what {} allocates is kept: {} more alive, rising to the end, {}{}", first.words(),
      bytes_words(first.change_bytes), freed_words(first),
      grown_bytes > 0 ? fmt::format("; {:.0f} % of the growth", std::min(1.0, kept.bytes / grown_bytes) * 100)
                      : "");
}

// Resident memory that grows while what is alive does not.
bool is_retention(double own_bytes, double live_bytes, double error_bytes) {
  return own_bytes >= kLeastChange && live_bytes + 2 * error_bytes <= kSmallPart * own_bytes;
}

void say_retention(Verdict& verdict, double own_bytes, double live_bytes) {
  // Neither leak nor none: a library that asks the kernel for memory by itself could leak unseen.
  verdict.lean.reset();
  verdict.reason += fmt::format(
      "; but what the agent sees alive changed by {} while {} were gained: an allocator that does not give "
      "back, or memory that does not pass the agent",
      bytes_words(live_bytes), bytes_words(own_bytes));
  verdict.basis.emplace_back("sites");
}

}  // namespace

bool is_kept(const SiteGroup& group, const Evidence& evidence) {
  if (!group.there_late || group.new_samples < kFewestSamples / 2 || group.change_bytes < kLeastChange) {
    return false;
  }
  if (group.kept_bytes < kKeptShare * group.change_bytes) return false;
  if (!is_long_enough(evidence, judged_part(evidence, group.early))) return false;
  return rise_of(group, evidence).steady;
}

std::string freed_words(const SiteGroup& group) {
  const auto count = [](double samples) {
    return base::format_count(static_cast<std::uint64_t>(std::max(0.0, samples)));
  };
  return fmt::format("of {} blocks sampled since then{} {}", count(group.kept_samples + group.freed_samples),
                     group.knows_old ? " that outlived the moment" : "",
                     group.freed_samples < 1 ? "none was freed" : count(group.freed_samples) + " were freed");
}

void judge_sites(Sites& sites, const Evidence& evidence) {
  const double tree_bytes = level(evidence.target, evidence.late).value_or(0);
  for (SiteGroup& group : sites.groups) {
    group.verdict = judge_trail(group.live, evidence.steps).verdict;
    if (!group.there_late) {
      group.verdict.kind = VerdictKind::Inconclusive;
      group.verdict.lean.reset();
      group.verdict.reason = "the agent did not see the late part of the run";
      continue;
    }
    pass_over_small_growth(group.verdict, tree_bytes);
    const bool open =
        is_open(group.verdict) && (leans_to(group.verdict, VerdictKind::Leak) ||
                                   leans_to(group.verdict, VerdictKind::Warmup) || !group.verdict.lean);
    if (!open || !is_kept(group, evidence)) continue;
    call_leak(group.verdict, confidence_of(group.new_samples, evidence),
              fmt::format("{} more alive than at first, rising to the end of the run, and {}",
                          bytes_words(group.change_bytes), freed_words(group)));
  }
}

void settle_processes(std::vector<WatchedProcess>& processes, const Sites& sites, const Evidence& evidence) {
  for (WatchedProcess& process : processes) {
    Verdict& verdict = process.report.series.verdict;
    const AgentProcess* agent = sites.find_process(process.report.info.id);
    if (!is_open(verdict) || agent == nullptr || !process.there_late || !agent->there_late) continue;
    const double own = change(process.trail, agent->early, evidence.late);
    const Kept kept = find_kept(sites, evidence, &process.report.info.id);
    if (settles(kept, verdict, own)) {
      call_leak(verdict, confidence_of(kept.samples, evidence), leak_words(kept, own));
      continue;
    }
    const double shared = change(process.trail, agent->early, evidence.late, &TrailPoint::shmem_bytes);
    if (leans_to(verdict, VerdictKind::Leak) && !copies_on_write(process, evidence) &&
        is_retention(own - shared, agent->change_bytes, agent->error_bytes) && shared < kSmallPart * own) {
      say_retention(verdict, own, agent->change_bytes);
    }
  }
}

bool settle_with_sites(Verdict& tree, const Sites& sites, const Evidence& evidence,
                       const std::vector<WatchedProcess>& processes) {
  if (!is_open(tree) || sites.processes.empty()) return false;
  const double grown = tree_change(evidence);
  const Kept kept = find_kept(sites, evidence, nullptr);
  if (settles(kept, tree, grown)) {
    call_leak(tree, confidence_of(kept.samples, evidence), leak_words(kept, grown));
    return true;
  }
  if (!leans_to(tree, VerdictKind::Leak)) return false;
  double watched = 0;
  double live = 0;
  double variance = 0;
  for (const WatchedProcess& process : processes) {
    const AgentProcess* agent = sites.find_process(process.report.info.id);
    if (agent == nullptr || !agent->there_late || copies_on_write(process, evidence)) continue;
    watched +=
        process.change_bytes - change(process.trail, evidence.early, evidence.late, &TrailPoint::shmem_bytes);
    live += agent->change_bytes;
    variance += agent->error_bytes * agent->error_bytes;
  }
  if (watched < kWatchedPart * grown || !is_retention(watched, live, std::sqrt(variance))) return false;
  say_retention(tree, watched, live);
  return true;
}

void agree_with_tree(Sites& sites, const Verdict& tree) {
  const bool may_leak =
      tree.kind == VerdictKind::Leak || (is_open(tree) && leans_to(tree, VerdictKind::Leak));
  if (may_leak) return;
  for (SiteGroup& group : sites.groups) {
    Verdict& verdict = group.verdict;
    if (verdict.kind != VerdictKind::Leak && !leans_to(verdict, VerdictKind::Leak)) continue;
    verdict.kind = VerdictKind::Inconclusive;
    verdict.lean.reset();
    verdict.reason += "; but the tree as a whole did not grow as a leak does";
    if (!verdict.needs) verdict.needs = "a longer run";
  }
}

}  // namespace lowtide::explain
