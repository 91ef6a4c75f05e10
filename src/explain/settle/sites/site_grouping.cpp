// Puts the stacks of a line together and measures how they grew.

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "explain/evidence/respawn_chains.h"
#include "explain/evidence/retention_by_age.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/settle/sites/seen_sites.h"
#include "explain/settle/sites/sites.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kMostGrowing = 40;  // groups that are looked at: more is nobody's question
constexpr std::size_t kMostLiving = 10;   // and so many that hold most

struct ChainSeen {
  RespawnChain chain;
  std::vector<Seen> seen;  // of each life; an empty window where there was no agent
};

using Key =
    std::tuple<std::size_t, model::FrameLanguage, std::string, std::uint32_t, std::string, std::string>;

// A function of native code is one place, whichever of its lines allocates.
Key line_key(std::size_t chain, const model::Frame& frame) {
  const bool python = frame.language == model::FrameLanguage::Python;
  return {chain,
          frame.language,
          python ? frame.file : "",
          python ? frame.line : 0,
          frame.function,
          python ? "" : frame.module};
}

class Grouping {
 public:
  explicit Grouping(const Evidence& evidence) : evidence_(evidence), moments_(moments_of(evidence)) {
    for (RespawnChain& chain : find_respawn_chains(evidence.processes)) {
      ChainSeen entry{std::move(chain), {}};
      for (const std::size_t at : entry.chain) {
        chain_of_[static_cast<std::uint32_t>(evidence.processes[at].info.id)] = chains_.size();
        entry.seen.push_back(seen_of(evidence, evidence.processes[at]));
      }
      chains_.push_back(std::move(entry));
    }
  }

  Sites find() {
    Sites out;
    add_processes(out);
    for (auto& [key, members] : grouped()) measure(out, std::get<0>(key), std::move(members));
    finish(out);
    return out;
  }

 private:
  std::map<Key, std::vector<const SiteEvidence*>> grouped() const {
    std::map<Key, std::vector<const SiteEvidence*>> groups;
    for (const SiteEvidence& site : evidence_.sites) {
      const auto chain = chain_of_.find(static_cast<std::uint32_t>(site.info.process));
      if (chain == chain_of_.end()) continue;
      const std::size_t act_on = frame_to_act_on(site.info.frames);
      const model::Frame none;
      groups[line_key(chain->second, site.info.frames.empty() ? none : site.info.frames[act_on])].push_back(
          &site);
    }
    return groups;
  }

  // The latest of those that followed each other, or the last that an agent was in.
  [[nodiscard]] std::size_t latest_seen(const ChainSeen& chain) const {
    std::size_t at = chain.chain.size() - 1;
    while (at > 0 && chain.seen[at].all.to_s < chain.seen[at].all.from_s) --at;
    return at;
  }

  [[nodiscard]] RecordedSeries live_of(const std::vector<const SiteEvidence*>& members,
                                       const ChainSeen& chain) const {
    std::vector<ProcessEvidence> each;
    RespawnChain order;
    for (std::size_t life = 0; life < chain.chain.size(); ++life) {
      const ProcessEvidence& process = evidence_.processes[chain.chain[life]];
      std::vector<const SiteEvidence*> own;
      std::copy_if(members.begin(), members.end(), std::back_inserter(own),
                   [&](const SiteEvidence* site) { return site->info.process == process.info.id; });
      RecordedSeries series = sum_of(own, moments_, chain.seen[life].all);
      drop_packing_up(series, evidence_.steps, process.work_ended_s);
      order.push_back(each.size());
      each.push_back({.info = process.info, .series = std::move(series)});
    }
    return joined_series(each, order);
  }

  void add_processes(Sites& out) const {
    for (const ChainSeen& chain : chains_) {
      const std::size_t latest = latest_seen(chain);
      if (chain.seen[latest].all.to_s < chain.seen[latest].all.from_s) continue;
      AgentProcess process;
      process.info = evidence_.processes[chain.chain.back()].info;
      process.early = chain.seen.front().early;
      std::vector<ProcessEvidence> each;
      RespawnChain order;
      for (const std::size_t at : chain.chain) {
        RecordedSeries series;
        for (const HeapEvidence& heap : evidence_.heaps) {
          if (heap.process != evidence_.processes[at].info.id) continue;
          series = heap.live;
          const std::uint64_t freed =
              heap.last.allocated_bytes - std::min(heap.last.allocated_bytes, heap.last.live_bytes);
          process.freed_bytes += static_cast<double>(freed);
        }
        drop_packing_up(series, evidence_.steps, evidence_.processes[at].work_ended_s);
        order.push_back(each.size());
        each.push_back({.info = evidence_.processes[at].info, .series = std::move(series)});
      }
      process.live = joined_series(each, order);
      process.there_late = level(process.live, evidence_.late).has_value();
      if (process.there_late) process.change_bytes = change(process.live, process.early, evidence_.late);
      process.error_bytes = error_of(chain, latest);
      out.processes.push_back(std::move(process));
    }
  }

  // Samples that are alive now and were not at first make the error of the difference.
  [[nodiscard]] double error_of(const ChainSeen& chain, std::size_t latest) const {
    const Seen& seen = chain.seen[latest];
    double variance = 0;
    double of_one_sample = 0;
    for (const SiteEvidence& site : evidence_.sites) {
      if (site.info.process != evidence_.processes[chain.chain[latest]].info.id) continue;
      const SiteMoment first = site.at(window_middle(seen.early));
      const SiteMoment last = site.at(window_middle(evidence_.late));
      const auto taken =
          static_cast<double>(last.allocated_samples) - static_cast<double>(first.allocated_samples);
      const auto alive = static_cast<double>(last.live_samples);
      if (alive <= 0) continue;
      variance += variance_of(last, seen) * std::clamp(taken / alive, 0.0, 1.0);
      of_one_sample = std::max(of_one_sample, variance_of(last, seen) / alive);
    }
    return std::sqrt(std::max(variance, of_one_sample));
  }

  void measure(Sites& out, std::size_t place, std::vector<const SiteEvidence*> members) const {
    const ChainSeen& chain = chains_[place];
    const std::size_t latest = latest_seen(chain);
    const Seen& seen = chain.seen[latest];
    if (seen.all.to_s < seen.all.from_s) return;
    SiteGroup group;
    group.process = evidence_.processes[chain.chain.back()].info;
    group.early = chain.chain.size() == 1 ? seen.early : evidence_.early;
    std::stable_sort(members.begin(), members.end(), [&](const SiteEvidence* a, const SiteEvidence* b) {
      return site_growth(*a, group.early, evidence_.late) > site_growth(*b, group.early, evidence_.late);
    });
    group.members = std::move(members);
    group.act_on = frame_to_act_on(group.frames());
    double variance = 0;  // of the growth: that of the live samples that are new
    double of_one_sample = 0;
    for (const SiteEvidence* site : group.members) {
      const SiteMoment& end = site->moments.back();
      group.allocated_bytes += end.allocated_bytes;
      if (site->info.process != evidence_.processes[chain.chain[latest]].info.id) continue;
      const SiteMoment first = site->at(window_middle(group.early));
      const SiteMoment last = site->at(window_middle(evidence_.late));
      // The live memory is that of the late part: at the very end the process may be tearing down.
      group.live_bytes += last.live_bytes;
      group.live_samples += last.live_samples;
      group.shared_bytes += last.shared_bytes;
      variance += variance_of(last, seen) - variance_of(first, seen);
      if (last.live_samples > 0) {
        const double each = variance_of(last, seen) / static_cast<double>(last.live_samples);
        of_one_sample = std::max(of_one_sample, each);
      }
      const RetentionByAge keeping = keeping_of(first, last);
      group.new_samples += static_cast<double>(last.live_samples) - static_cast<double>(first.live_samples);
      group.kept_samples += keeping.samples;
      group.freed_samples += keeping.freed_samples;
      group.knows_old |= last.old.has_value();
      if (chain.chain.size() == 1) group.kept_bytes += keeping.bytes;
    }
    group.error_bytes = std::sqrt(std::max(std::abs(variance), of_one_sample));
    for (const SiteEvidence* site : group.members) {
      group.change_bytes += site_growth(*site, group.early, evidence_.late);
    }
    out.groups.push_back(std::move(group));
  }

  // Series are made only for the groups that a report can show.
  void finish(Sites& out) const {
    for (const SiteGroup& group : out.groups) out.growth_bytes += std::max(0.0, group.change_bytes);
    set_native_shares(out);
    const auto by = [&](auto value) {
      std::stable_sort(out.groups.begin(), out.groups.end(),
                       [&](const SiteGroup& a, const SiteGroup& b) { return value(a) > value(b); });
    };
    by([](const SiteGroup& group) { return group.change_bytes; });
    if (out.groups.size() > kMostGrowing) {
      std::stable_sort(out.groups.begin() + kMostGrowing, out.groups.end(),
                       [](const SiteGroup& a, const SiteGroup& b) { return a.live_bytes > b.live_bytes; });
      out.groups.erase(out.groups.begin() + static_cast<std::ptrdiff_t>(
                                                std::min(out.groups.size(), kMostGrowing + kMostLiving)),
                       out.groups.end());
    }
    for (SiteGroup& group : out.groups) {
      const auto place = chain_of_.find(static_cast<std::uint32_t>(group.process.id));
      group.live = live_of(group.members, chains_[place->second]);
      group.there_late = level(group.live, evidence_.late).has_value();
      if (group.there_late) group.change_bytes = change(group.live, group.early, evidence_.late);
    }
    by([](const SiteGroup& group) { return group.change_bytes; });
    double heaps = 0;
    for (const AgentProcess& process : out.processes) heaps += std::max(0.0, process.change_bytes);
    out.growth_bytes = std::max(out.growth_bytes, heaps);
  }

  static void set_native_shares(Sites& out) {
    for (AgentProcess& process : out.processes) {
      double all = 0;
      double native = 0;
      for (const SiteGroup& group : out.groups) {
        if (group.process.id != process.info.id || group.change_bytes <= 0 || group.is_shared()) continue;
        all += group.change_bytes;
        if (is_native_allocation(group.frames(), group.act_on)) native += group.change_bytes;
      }
      process.native_share = all > 0 ? native / all : 0;
    }
  }

  const Evidence& evidence_;
  RecordedSeries moments_;
  std::vector<ChainSeen> chains_;
  std::unordered_map<std::uint32_t, std::size_t> chain_of_;
};

}  // namespace

Sites find_sites(const Evidence& evidence) {
  if (evidence.sites.empty() && evidence.heaps.empty()) return {};
  return Grouping(evidence).find();
}

}  // namespace lowtide::explain
