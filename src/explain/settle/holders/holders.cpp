#include "explain/settle/holders/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "base/units.h"
#include "explain/evidence/snapshots.h"
#include "explain/settle/growth.h"
#include "explain/settle/holders/holder_history.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestSnapshots = 3;
constexpr double kMostOfTheGrowth = 0.6;  // of the process
constexpr double kOfTheTree = 0.5;
constexpr double kLeastSeen = 0.3;  // of the tree's growth, between the first and the last snapshot
constexpr std::int64_t kLeastOnDevice = 1'000'000;
constexpr std::size_t kMostGrown = 20;

// The process was flat in the second half of the time since the last snapshot, and that half is long: the
// growth that the snapshots show has ended.
bool has_stopped_since(const Evidence& evidence, const ProcessEvidence& process, double from_s, double to_s) {
  constexpr double kLongEnough = 0.5;  // of the time between the first and the last snapshot
  constexpr double kStopped = 0.1;     // of the rate between them
  const double end_s = std::min(evidence.late.to_s, process.info.ended_s.value_or(evidence.late.to_s));
  const double half_s = (end_s - to_s) / 2;
  if (!(to_s > from_s) || half_s < kLongEnough * (to_s - from_s)) return false;
  const double before = change_between(process.series, from_s, to_s) / (to_s - from_s);
  const double after = change_between(process.series, to_s + half_s, end_s) / half_s;
  return before > 0 && after < kStopped * before;
}

ProcessHolders compare(const Evidence& evidence, const ProcessEvidence& process, const Snapshots& snapshots,
                       const OwnModules& own) {
  ProcessHolders out;
  out.process = process.info;
  out.snapshots = snapshots.size();
  out.from_s = snapshots.front()->at_s;
  out.to_s = snapshots.back()->at_s;
  // Its child may have been heard of when the process was gone.
  if (snapshots.back()->is_at_end && !process.series.empty())
    out.to_s = std::min(out.to_s, process.series.back().at_s);
  out.has_stopped_since = has_stopped_since(evidence, process, out.from_s, out.to_s);
  out.difference = compare_snapshots(*snapshots.front(), *snapshots.back(), &own);
  out.difference.snapshot.pid = process.info.pid;
  const double process_bytes = change_between(process.series, out.from_s, out.to_s);
  const SeriesPoint* first_step = nearest(evidence.target, out.from_s);
  const SeriesPoint* last_step = nearest(evidence.target, out.to_s);
  const double steps = first_step == nullptr ? std::nan("") : last_step->step - first_step->step;
  for (const model::HolderReport& holder : out.difference.holders) {
    if (out.grown.size() == kMostGrown) break;
    HeldGrowth grown{.holder = holder};
    grown.holder.pid = process.info.pid;
    use_usual_name(snapshots, grown.holder.node);
    const HeldMoves moves = count_moves(snapshots, grown.holder.node);
    std::tie(grown.first_listed, grown.last_listed) = listed_in(snapshots, grown.holder.node);
    grown.gains = moves.gains;
    grown.losses = moves.losses;
    grown.holder.curve = holder_history(snapshots, grown.holder.node);
    grown.slows_down = gains_ever_less(snapshots, grown.holder.node, evidence);
    grown.has_stopped = moves.gains + 1 >= kFewestSnapshots && stands_still(grown.holder.curve);
    const auto bytes = static_cast<double>(holder.growth_bytes);
    if (process_bytes > 0) grown.of_process = std::min(1.0, bytes / process_bytes);
    const auto device_bytes = static_cast<double>(holder.growth_device_bytes);
    if (out.difference.growth_device_bytes > 0) {
      grown.of_device =
          std::clamp(device_bytes / static_cast<double>(out.difference.growth_device_bytes), 0.0, 1.0);
    }
    if (steps >= 1) grown.bytes_per_step = (bytes + device_bytes) / steps;
    out.grown.push_back(std::move(grown));
  }
  return out;
}

// The process had given back most of what it gained by then, and works no more.
bool has_shrunk(const ProcessEvidence& process, const Snapshots& snapshots) {
  constexpr double kLeastGain = 1e6;
  const double from_s = snapshots.front()->at_s;
  const double before = change_between(process.series, from_s, snapshots[snapshots.size() - 2]->at_s);
  const double now = change_between(process.series, from_s, snapshots.back()->at_s);
  return process.info.ended_s && before > kLeastGain && now < 0.5 * before;
}

bool is_after_last_step(const Evidence& evidence, const Snapshots& snapshots) {
  return !evidence.is_running && evidence.steps.known && snapshots.back()->at_s > evidence.steps.last_at_s;
}

// At the end of a program, or after its last step, the variables of its functions are gone.
bool is_after_work(const Evidence& evidence, const ProcessEvidence& process, const Snapshots& snapshots) {
  return snapshots.back()->is_at_end || is_after_last_step(evidence, snapshots) ||
         has_shrunk(process, snapshots);
}

// One snapshot shows what variables hold. All of it came since the start, but none is known to grow.
ProcessHolders compare_with_start(const Evidence& evidence, const ProcessEvidence& process,
                                  const model::Snapshot& only, const OwnModules& own) {
  model::Snapshot nothing;
  nothing.at_s = process.info.started_s;
  ProcessHolders out = compare(evidence, process, {&nothing, &only}, own);
  out.snapshots = 1;
  return out;
}

bool shows_growth(const ProcessHolders& holders) {
  constexpr double kLarge = 0.3;
  return std::any_of(holders.grown.begin(), holders.grown.end(), [](const HeldGrowth& grown) {
    return std::max(grown.of_process, grown.of_device) >= kLarge;
  });
}

// A snapshot after the work counts where it shows what the others show, and more of it: what is gone by then
// is no loss.
ProcessHolders compare_up_to_end(const Evidence& evidence, const ProcessEvidence& process,
                                 Snapshots snapshots, const OwnModules& own) {
  if (snapshots.size() == 1) return compare_with_start(evidence, process, *snapshots.front(), own);
  ProcessHolders with_end = compare(evidence, process, snapshots, own);
  const bool is_after = is_after_work(evidence, process, snapshots);
  // The function may have returned long before the process ended, and the allocator keeps what was freed.
  const bool may_be_after =
      process.info.ended_s && snapshots.size() > kFewestSnapshots && !shows_growth(with_end);
  if (!is_after && !may_be_after) return with_end;
  if (snapshots.size() == 2) {
    const bool shows_most = !with_end.grown.empty() && with_end.grown.front().of_process >= kMostOfTheGrowth;
    return shows_most ? with_end : compare_with_start(evidence, process, *snapshots.front(), own);
  }
  const bool is_only_smaller = !is_after_last_step(evidence, snapshots) && !snapshots.back()->is_at_end;
  snapshots.pop_back();
  // The one before may be after the work too.
  ProcessHolders before = snapshots.size() == 2 ? compare(evidence, process, snapshots, own)
                                                : compare_up_to_end(evidence, process, snapshots, own);
  if (!is_after && !shows_growth(before)) return with_end;
  // What was given back is named, but it proves nothing.
  if (is_only_smaller) {
    for (HeldGrowth& grown : before.grown) ++grown.losses;
  }
  const auto is_more = [](const model::HolderReport& later, const model::HolderReport& holder) {
    return later.node.path == holder.node.path && later.growth_bytes >= holder.growth_bytes &&
           later.growth_device_bytes >= holder.growth_device_bytes;
  };
  const auto gained = [](const ProcessHolders& each) {
    return each.difference.growth_bytes + each.difference.growth_device_bytes;
  };
  const bool shows_more =
      before.grown.empty()
          ? gained(with_end) >= gained(before)
          : !with_end.grown.empty() && is_more(with_end.grown.front().holder, before.grown.front().holder);
  if (!shows_more) return before;
  for (HeldGrowth& grown : before.grown) {
    const bool is_there = std::any_of(with_end.grown.begin(), with_end.grown.end(), [&](const auto& later) {
      return later.holder.node.path == grown.holder.node.path;
    });
    if (!is_there && with_end.grown.size() < kMostGrown) with_end.grown.push_back(std::move(grown));
  }
  return with_end;
}

std::string reason_of(const ProcessHolders& holders, const HeldGrowth& grown, std::int64_t growth_bytes) {
  const std::string length =
      grown.holder.growth_length && *grown.holder.growth_length > 0
          ? fmt::format("{} items, ",
                        base::format_count(static_cast<std::uint64_t>(*grown.holder.growth_length)))
          : std::string();
  return fmt::format("`{}` grew by {}{} in {} snapshots and never shrank", grown.holder.node.path, length,
                     bytes_words(static_cast<double>(growth_bytes)), holders.snapshots);
}

Argument leak_from_holder(ArgumentKind rule, const ProcessHolders& holders, const HeldGrowth& grown,
                          std::int64_t growth_bytes) {
  return {.rule = rule, .reason = reason_of(holders, grown, growth_bytes), .source_pid = holders.process.pid};
}

Argument cache_still_filling(const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  return {.rule = ArgumentKind::CacheStillFilling,
          .reason = fmt::format("`{}` is a cache that is still filling: {} of {} entries", node.path,
                                base::format_count(node.length.value_or(0)), base::format_count(node.bound)),
          .needs = model::Needs{.words = "a run that continues until the cache is full"},
          .source_pid = holders.process.pid};
}

Argument holder_slows(const ProcessHolders& holders, const HeldGrowth& grown) {
  return {.rule = ArgumentKind::HolderSlows,
          .reason = fmt::format("`{}` grows, but less from snapshot to snapshot; it may stop",
                                grown.holder.node.path),
          .needs = model::Needs{model::NeedsKind::LongerRun, 0, ", until it stops or grows evenly"},
          .source_pid = holders.process.pid};
}

bool only_gains(const ProcessHolders& holders, const HeldGrowth& grown) {
  return holders.snapshots >= kFewestSnapshots && grown.losses == 0 && grown.gains + 1 >= kFewestSnapshots;
}

bool is_most_of_growth(const ProcessHolders& holders, const HeldGrowth& grown) {
  return only_gains(holders, grown) && grown.of_process >= kMostOfTheGrowth;
}

}  // namespace

bool keeps_what_leaks(const Sites& sites, const ProcessHolders& holders, const HeldGrowth& grown) {
  double leaks_bytes = 0;
  for (const SiteGroup& site : sites.groups) {
    const bool leaks =
        site.process.pid == holders.process.pid && site.verdict.kind == model::VerdictKind::Leak;
    if (leaks) leaks_bytes += site.change_bytes;
  }
  return leaks_bytes > 0 && only_gains(holders, grown) &&
         grown.holder.node.cache != model::CacheKind::Bounded &&
         static_cast<double>(grown.holder.growth_bytes) >= kMostOfTheGrowth * leaks_bytes;
}

bool holds_what_leaked(const Sites& sites, const ProcessHolders& holders, const HeldGrowth& grown) {
  constexpr double kLeast = 0.6;  // of what the lines had allocated
  constexpr double kMost = 1.5;   // a data set that was loaded at the start holds more, or less
  const bool is_seen_once = grown.gains == 0 && grown.losses == 0 && grown.first_listed != nullptr &&
                            grown.first_listed == grown.last_listed &&
                            grown.holder.node.cache != model::CacheKind::Bounded;
  if (!is_seen_once) return false;
  double leaked_bytes = 0;
  for (const SiteGroup& site : sites.groups) {
    const bool leaks =
        site.process.pid == holders.process.pid && site.verdict.kind == model::VerdictKind::Leak;
    const SeriesPoint* then = leaks ? nearest(site.live, grown.first_listed->at_s) : nullptr;
    if (then != nullptr) leaked_bytes += static_cast<double>(then->low_bytes);
  }
  const auto held = static_cast<double>(grown.holder.node.retained_bytes);
  return leaked_bytes > 0 && held >= kLeast * leaked_bytes && held <= kMost * leaked_bytes;
}

void drop_unproven(std::vector<ProcessHolders>& holders, const Sites& sites) {
  for (ProcessHolders& each : holders) {
    if (each.snapshots > 1) continue;
    std::erase_if(each.grown,
                  [&](const HeldGrowth& grown) { return !holds_what_leaked(sites, each, grown); });
  }
  std::erase_if(holders,
                [](const ProcessHolders& each) { return each.snapshots == 1 && each.grown.empty(); });
}

bool is_kept(const ProcessHolders& holders, const HeldGrowth& grown) {
  return is_most_of_growth(holders, grown) && !grown.slows_down && !holders.has_stopped_since &&
         grown.holder.node.cache != model::CacheKind::Bounded;
}

bool is_kept_on_device(const ProcessHolders& holders, const HeldGrowth& grown) {
  return only_gains(holders, grown) && !grown.slows_down && !grown.has_stopped &&
         grown.of_device >= kMostOfTheGrowth && grown.holder.node.cache != model::CacheKind::Bounded;
}

bool is_filling(const ProcessHolders& holders, const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  return is_most_of_growth(holders, grown) && node.cache == model::CacheKind::Bounded &&
         node.length.value_or(0) < node.bound;
}

bool is_full(const HeldGrowth& grown) {
  const model::HeldNode& node = grown.holder.node;
  const bool at_bound = node.cache == model::CacheKind::Bounded && node.length.value_or(0) >= node.bound;
  return at_bound || (grown.has_stopped && grown.of_process >= kMostOfTheGrowth &&
                      grown.holder.growth_length.value_or(0) > 0);
}

std::vector<ProcessHolders> find_holders(const Evidence& evidence) {
  std::map<std::uint32_t, Snapshots> snapshots;
  for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
    if (recorded.snapshot.has_holders)
      snapshots[static_cast<std::uint32_t>(recorded.process)].push_back(&recorded.snapshot);
  }
  if (snapshots.empty()) return {};
  const OwnModules own = own_modules(evidence.sites);
  std::vector<ProcessHolders> out;
  for (auto& [id, all] : snapshots) {
    // A walk may take longer than the one after it.
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->at_s < b->at_s; });
    const ProcessEvidence* process = evidence.find_process(model::ProcessId{id});
    // The start-up builds things up that are then there: it is left out where enough snapshots remain.
    const double settled_s = evidence.steps.known ? evidence.steps.first_at_s : 0;
    const auto after = std::find_if(all.begin(), all.end(),
                                    [&](const auto* snapshot) { return snapshot->at_s >= settled_s; });
    if (static_cast<std::size_t>(all.end() - after) >= kFewestSnapshots) all.erase(all.begin(), after);
    if (process != nullptr && !all.empty()) out.push_back(compare_up_to_end(evidence, *process, all, own));
  }
  return out;
}

std::vector<Argument> holder_arguments(const ProcessHolders& holders) {
  // A cache that fills gains between any three snapshots of a moment.
  constexpr double kShortestS = 3;
  const bool is_long = holders.to_s - holders.from_s >= kShortestS;
  std::vector<Argument> out;
  for (const HeldGrowth& grown : holders.grown) {
    if (is_filling(holders, grown)) {
      out.push_back(cache_still_filling(holders, grown));
    } else if (is_most_of_growth(holders, grown) && grown.slows_down) {
      out.push_back(holder_slows(holders, grown));
    } else if (is_long && is_kept(holders, grown)) {
      out.push_back(leak_from_holder(ArgumentKind::HolderKeeps, holders, grown, grown.holder.growth_bytes));
    }
  }
  return out;
}

std::vector<Argument> holder_arguments(const std::vector<ProcessHolders>& holders, const Evidence& evidence) {
  const double all = tree_change(evidence);
  std::vector<Argument> out;
  for (const ProcessHolders& each : holders) {
    // The snapshots end before the run does: what grew meanwhile is what they can explain.
    const double seen = change_between(evidence.target, each.from_s, each.to_s);
    const bool explains = !each.grown.empty() && all > 0 && seen >= kLeastSeen * all &&
                          static_cast<double>(each.grown.front().holder.growth_bytes) >= kOfTheTree * seen;
    if (explains) std::ranges::move(holder_arguments(each), std::back_inserter(out));
  }
  return out;
}

std::vector<Argument> holder_arguments(const model::GpuReport& gpu,
                                       const std::vector<ProcessHolders>& holders) {
  const ProcessHolders* of_most = nullptr;
  const HeldGrowth* most = nullptr;
  for (const ProcessHolders& each : holders) {
    if (std::ranges::count(gpu.pids, each.process.pid) == 0) continue;
    const auto kept = std::find_if(each.grown.begin(), each.grown.end(), [&](const HeldGrowth& grown) {
      return is_kept_on_device(each, grown) && grown.holder.growth_device_bytes >= kLeastOnDevice;
    });
    if (kept == each.grown.end()) continue;
    if (most != nullptr && kept->holder.growth_device_bytes <= most->holder.growth_device_bytes) continue;
    of_most = &each;
    most = &*kept;
  }
  if (most == nullptr) return {};
  return {
      leak_from_holder(ArgumentKind::DeviceHolderKeeps, *of_most, *most, most->holder.growth_device_bytes)};
}

}  // namespace lowtide::explain
