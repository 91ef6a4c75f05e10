#include "explain/settle/sites/site_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/settle/growth.h"
#include "explain/settle/sites/doubling.h"
#include "explain/settle/small_growth.h"
#include "explain/settle/steady_rise.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::Verdict;

constexpr double kFewestSamples = 20;    // of all places together; of each half as many
constexpr double kFewestRiseSteps = 50;  // that the rise was watched for ...
constexpr double kFewestSeconds = 60;    // ... or so long, where there are no steps
constexpr double kKeptShare = 0.6;       // of a place's growth, from stacks that free next to nothing
// Of the growth of resident memory. Aligned blocks leave holes as large as they are, so it is up
// to twice the live memory (docs/architecture.md, "sites"), and that is an estimate.
constexpr double kLargePart = 0.4;
constexpr double kSmallPart = 0.2;         // the same, for live memory that does not explain it
constexpr double kMostOfGrowth = 0.6;      // of resident memory, first written
constexpr double kWatchedPart = 0.8;       // of the growth, in processes that an agent is in
constexpr double kLeastChange = 1e6;       // bytes
constexpr double kSlowerThanWarmup = 0.8;  // pace of the second half, against a lean to a warm-up

bool is_long_enough(const Evidence& evidence, const Window& window) {
  if (!evidence.steps.known) return window.to_s - window.from_s >= kFewestSeconds * 0.9;
  double first = NAN;
  double last = NAN;
  for (const SeriesPoint& point : evidence.ticks) {
    if (point.at_s < window.from_s || std::isnan(point.step)) continue;
    if (std::isnan(first)) first = point.step;
    last = point.step;
  }
  return last - first >= kFewestRiseSteps;
}

// The place leaks, and the samples show it: enough of them, next to none freed, rising to the end.
void find_out_if_kept(SiteGroup& group, const Evidence& evidence) {
  group.is_kept = false;
  if (!group.there_late || group.new_samples < kFewestSamples / 2 || group.change_bytes < kLeastChange)
    return;
  if (group.kept_bytes < kKeptShare * group.change_bytes) return;
  const Window judged{group.early.from_s, evidence.late.to_s};
  if (!is_long_enough(evidence, judged)) return;
  const SteadyRise rise = find_steady_rise(group.live, evidence.steps, judged, group.new_samples);
  group.is_kept = rise.steady;
  group.second_half = rise.second_half;
}

// The kept groups, of one process or of all, and what they come to.
struct Kept {
  std::vector<const SiteGroup*> groups;  // most growth first
  double bytes = 0;
  double samples = 0;
  double slowest = 1;  // pace of the second half, of the largest
};

Kept find_kept(const Sites& sites, const model::ProcessId* process) {
  Kept out;
  for (const SiteGroup& group : sites.groups) {
    if ((process != nullptr && group.process.id != *process) || !group.is_kept) continue;
    if (out.groups.empty()) out.slowest = group.second_half;
    out.groups.push_back(&group);
    out.bytes += group.change_bytes;
    out.samples += group.new_samples;
  }
  return out;
}

std::string leak_words(const Kept& kept, double grown_bytes, std::string_view grown) {
  const SiteGroup& first = *kept.groups.front();
  const std::string share = grown_bytes > 0 ? fmt::format("; {} of the growth of the {}",
                                                          base::format_share(kept.bytes / grown_bytes), grown)
                                            : "";
  return fmt::format("live memory from {} grew by {}, {}{}", first.words(), bytes_words(first.change_bytes),
                     freed_words(first), share);
}

// `grown`: the process or the process tree.
std::optional<Argument> leak_argument(const Kept& kept, double grown_bytes, std::string_view grown,
                                      const Evidence& evidence) {
  if (kept.groups.empty() || kept.samples < kFewestSamples || grown_bytes < kLeastChange) return std::nullopt;
  if (kept.bytes < kLargePart * grown_bytes) return std::nullopt;
  return Argument{.rule = ArgumentKind::Sites,
                  .reason = leak_words(kept, grown_bytes, grown),
                  .confidence = confidence_of_samples(kept.samples, evidence.steps.known),
                  // The series itself sees an end coming: then the sites must be plainer.
                  .beats_warmup = kept.slowest >= kSlowerThanWarmup,
                  .of_site = kept.groups.front()->verdict};
}

// Resident memory that grows while live memory does not. Neither leak nor none: a library that asks the
// kernel for memory by itself could leak unseen.
std::optional<Argument> retention_argument(double own_bytes, double live_bytes, double error_bytes,
                                           double named_bytes) {
  if (own_bytes < kLeastChange || live_bytes + 2 * error_bytes > kSmallPart * own_bytes) return std::nullopt;
  return Argument{.rule = ArgumentKind::Retention,
                  .reason = fmt::format("; but live memory {} while the process gained {}: "
                                        "the allocator keeps freed memory, or memory does not pass the agent",
                                        change_words(live_bytes), bytes_words(named_bytes))};
}

// It ends when all of the memory has been written.
std::optional<Argument> first_touch_argument(double own_bytes, const FirstTouch& touched,
                                             const Evidence& evidence) {
  if (touched.bytes <= 0 || touched.bytes < kMostOfGrowth * own_bytes) return std::nullopt;
  return Argument{
      .rule = ArgumentKind::FirstTouch,
      .reason = fmt::format("{} that was allocated earlier became resident as it was first written; at most "
                            "{} was left {}",
                            bytes_words(touched.bytes), bytes_words(touched.left_bytes),
                            at_middle(evidence.late, evidence)),
      .needs = model::Needs{.words = "a run that continues until all of it has been written"}};
}

// The agent that watched the process to the end; null: none did.
const AgentProcess* find_agent(const WatchedProcess& process, const Sites& sites) {
  const AgentProcess* agent = sites.find_process(process.report.info.id);
  return agent != nullptr && process.there_late && agent->there_late ? agent : nullptr;
}

}  // namespace

std::string freed_words(const SiteGroup& group) {
  const auto count = [](double samples) {
    return base::format_count(static_cast<std::uint64_t>(std::max(0.0, samples)));
  };
  if (group.kept_samples + group.freed_samples < 1) return "";
  // A table or an array that was copied to a larger block: what was freed is not what grew.
  constexpr std::uint64_t kFewBlocks = 4;
  const bool is_larger =
      group.change_bytes > 0 && group.live_samples <= kFewBlocks && group.freed_samples > group.kept_samples;
  return fmt::format("{} of {} sampled blocks freed{}", count(group.freed_samples),
                     count(group.kept_samples + group.freed_samples),
                     is_larger ? ", but the blocks in use are larger than before" : "");
}

void judge_sites(Sites& sites, const Evidence& evidence) {
  const double tree_bytes = level(evidence.target, evidence.late).value_or(0);
  for (SiteGroup& group : sites.groups) {
    const Verdict series = judge_series(group.live, evidence.steps, judge::Needs::NotEstimated).verdict;
    find_out_if_kept(group, evidence);
    std::vector<Argument> arguments;
    if (!group.there_late) {
      arguments.push_back({.rule = ArgumentKind::NotWatchedToEnd,
                           .reason = "the agent did not see the late part of the run"});
    }
    if (auto small = ignore_small_growth(series, tree_bytes)) arguments.push_back(std::move(*small));
    if (group.is_kept) {
      arguments.push_back({.rule = ArgumentKind::Sites,
                           .reason = fmt::format("its live memory grew by {}, {}",
                                                 bytes_words(group.change_bytes), freed_words(group)),
                           .confidence = confidence_of_samples(group.new_samples, evidence.steps.known)});
    }
    if (auto stair = next_stair_is_due(group.live, evidence.steps, tree_bytes))
      arguments.push_back(std::move(*stair));
    group.verdict = settle(series, arguments);
  }
}

std::optional<Argument> leak_from_sites(const WatchedProcess& process, const Sites& sites,
                                        const Evidence& evidence) {
  const AgentProcess* agent = find_agent(process, sites);
  if (agent == nullptr) return std::nullopt;
  const double own = change(process.series, agent->early, evidence.late);
  return leak_argument(find_kept(sites, &process.report.info.id), own, "process", evidence);
}

std::optional<Argument> leak_from_sites(const Sites& sites, const Evidence& evidence) {
  return leak_argument(find_kept(sites, nullptr), tree_change(evidence), "process tree", evidence);
}

std::optional<Argument> growth_is_first_touch(const WatchedProcess& process, const Sites& sites,
                                              const Evidence& evidence) {
  const AgentProcess* agent = find_agent(process, sites);
  if (agent == nullptr || copies_on_write(process, evidence)) return std::nullopt;
  const double own = change(process.series, agent->early, evidence.late);
  return first_touch_argument(own, heap_growth(process, *agent, sites, evidence).touched, evidence);
}

std::optional<Argument> growth_is_first_touch(const std::vector<WatchedProcess>& processes,
                                              const Sites& sites, const Evidence& evidence) {
  FirstTouch all;
  for (const WatchedProcess& process : processes) {
    const AgentProcess* agent = find_agent(process, sites);
    if (agent == nullptr || copies_on_write(process, evidence)) continue;
    const FirstTouch touched = heap_growth(process, *agent, sites, evidence).touched;
    all.bytes += touched.bytes;
    all.left_bytes += touched.left_bytes;
  }
  return all.bytes > 0 ? first_touch_argument(tree_change(evidence), all, evidence) : std::nullopt;
}

std::optional<Argument> retention_clears_lean(const WatchedProcess& process, const Sites& sites,
                                              const Evidence& evidence) {
  const AgentProcess* agent = find_agent(process, sites);
  if (agent == nullptr || copies_on_write(process, evidence)) return std::nullopt;
  const double own = change(process.series, agent->early, evidence.late);
  const double shared = change(process.series, agent->early, evidence.late, &SeriesPoint::shmem_bytes);
  if (shared >= kSmallPart * own) return std::nullopt;
  return retention_argument(own - shared, agent->change_bytes, agent->error_bytes, own);
}

std::optional<Argument> retention_clears_lean(const std::vector<WatchedProcess>& processes,
                                              const Sites& sites, const Evidence& evidence) {
  double watched = 0;
  double live = 0;
  double variance = 0;
  for (const WatchedProcess& process : processes) {
    const AgentProcess* agent = sites.find_process(process.report.info.id);
    if (agent == nullptr || !agent->there_late || copies_on_write(process, evidence)) continue;
    watched += process.change_bytes -
               change(process.series, evidence.early, evidence.late, &SeriesPoint::shmem_bytes);
    live += agent->change_bytes;
    variance += agent->error_bytes * agent->error_bytes;
  }
  if (watched < kWatchedPart * tree_change(evidence)) return std::nullopt;
  return retention_argument(watched, live, std::sqrt(variance), watched);
}

void open_main_site_if_tree_leaks(Sites& sites, const Verdict& tree) {
  constexpr double kNearlyAll = 0.9;
  if (tree.kind != model::VerdictKind::Leak) return;
  const Argument leaks{
      .rule = ArgumentKind::TreeLeaks,
      .reason = "; but it allocated nearly all of what the process tree gained, in few blocks",
      .needs = model::Needs{model::NeedsKind::LongerRun}};
  for (SiteGroup& group : sites.groups) {
    if (!group.there_late || group.change_bytes < kNearlyAll * sites.growth_bytes) continue;
    if (!model::may_leak(group.verdict)) group.verdict = settle(group.verdict, leaks);
  }
}

void clear_sites_if_tree_flat(Sites& sites, const Verdict& tree) {
  if (model::may_leak(tree)) return;
  const Argument flat{.rule = ArgumentKind::TreeIsFlat,
                      .reason = "; but the process tree did not grow like a leak",
                      .needs = model::Needs{model::NeedsKind::LongerRun}};
  for (SiteGroup& group : sites.groups) group.verdict = settle(group.verdict, flat);
}

}  // namespace lowtide::explain
