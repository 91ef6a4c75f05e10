#include "explain/settle/growth.h"

#include <algorithm>

#include "explain/evidence/forked_children.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastTreeGrowth = 1e6;   // bytes; less is no question
constexpr double kLeastLevelShare = 0.01;  // of the level, the same
constexpr double kLeastCopied = 8e6;       // bytes of private pages
constexpr double kMostMeasured = 0.5;      // of the growth, between the two windows
constexpr double kFreed = 0.5;             // of what an allocator is said to keep
constexpr double kRssStandsStill = 0.34;   // of the private growth: what RSS may move and count as still

double change_of_cgroup(const Evidence& evidence, std::uint64_t model::CgroupReading::*pick) {
  RecordedSeries series;
  for (const CgroupMoment& moment : evidence.cgroup) {
    SeriesPoint point;
    point.at_s = moment.at_s;
    point.low_bytes = moment.reading.*pick;
    series.push_back(point);
  }
  return change(series, evidence.early, evidence.late);
}

bool has_cgroup_of_its_own(const Evidence& evidence) {
  constexpr double kMonitorAndShell = 64e6;  // bytes
  const double tree = level(evidence.target, evidence.late).value_or(0);
  return static_cast<double>(evidence.cgroup.back().reading.anon_bytes) < 1.2 * tree + kMonitorAndShell;
}

double change_of_shm(const Evidence& evidence) {
  RecordedSeries series;
  for (const HostMoment& moment : evidence.host) {
    SeriesPoint point;
    point.at_s = moment.at_s;
    point.low_bytes = moment.reading.shm_bytes;
    series.push_back(point);
  }
  return change(series, evidence.early, evidence.late);
}

double change_of_unmapped(const Evidence& evidence) {
  RecordedSeries series;
  for (const TargetMoment& moment : evidence.target_moments) {
    SeriesPoint point;
    point.at_s = moment.at_s;
    point.low_bytes = moment.reading.unmapped_bytes;
    series.push_back(point);
  }
  return change(series, evidence.early, evidence.late);
}

SharedMemoryGrowth mapped_growth(const Evidence& evidence, const std::vector<WatchedProcess>& processes) {
  // Of the processes the one with most: they map the same segments, and a sum would count them again.
  double largest = 0;
  for (const WatchedProcess& process : processes) {
    largest =
        std::max(largest, change(process.series, evidence.early, evidence.late, &SeriesPoint::shmem_bytes));
  }
  if (evidence.cgroup.size() >= 2) {
    const double grown = change_of_cgroup(evidence, &model::CgroupReading::shmem_bytes);
    // The cgroup may hold others: then no more than the tree's own processes can account for. In a cgroup
    // of its own also what lies in /dev/shm and is mapped by nobody.
    const double unmapped = has_cgroup_of_its_own(evidence) ? change_of_shm(evidence) : 0;
    return {std::min(grown, std::max(largest * 1.5, unmapped)), largest, 0, "the cgroup's shmem"};
  }
  return {largest, largest, 0, "RssShmem of the process that maps most"};
}

}  // namespace

double tree_change(const Evidence& evidence) {
  return change(evidence.target, evidence.early, evidence.late);
}

bool grows(const Evidence& evidence, const model::Verdict& verdict) {
  const bool flat = verdict.kind == model::VerdictKind::Stable || verdict.kind == model::VerdictKind::Spikes;
  const double level_bytes = level(evidence.target, evidence.late).value_or(0);
  return !flat && tree_change(evidence) > std::max(kLeastTreeGrowth, kLeastLevelShare * level_bytes);
}

void set_growth_shares(std::vector<WatchedProcess>& processes, const Evidence& evidence,
                       const model::Verdict& verdict) {
  if (!grows(evidence, verdict)) return;
  const double all = tree_change(evidence);
  for (WatchedProcess& process : processes) {
    process.report.growth_share = std::clamp(process.change_bytes / all, 0.0, 1.0);
  }
}

SharedMemoryGrowth shared_memory_growth(const Evidence& evidence,
                                        const std::vector<WatchedProcess>& processes) {
  // Of what shared memory grew by, which may be that of other jobs too, or the tree.
  constexpr double kMost = 0.5;
  SharedMemoryGrowth mapped = mapped_growth(evidence, processes);
  mapped.unmapped_bytes = change_of_unmapped(evidence);
  if (mapped.unmapped_bytes > kMost * std::min(mapped.bytes, std::max(0.0, tree_change(evidence))))
    return {mapped.unmapped_bytes, mapped.mapped_bytes, mapped.unmapped_bytes,
            "shared memory of the job that no process maps"};
  return mapped;
}

bool copies_on_write(const WatchedProcess& process, const Evidence& evidence) {
  if (process.change_bytes < kLeastCopied || !process.there_late) return false;
  if (!level(process.series, evidence.early)) return false;  // started later: all of it is new
  const double rss = change(process.series, evidence.early, evidence.late, &SeriesPoint::rss_bytes);
  const double shmem = change(process.series, evidence.early, evidence.late, &SeriesPoint::shmem_bytes);
  return rss < kRssStandsStill * process.change_bytes && shmem < kRssStandsStill * process.change_bytes;
}

double remaining_shared_bytes(const WatchedProcess& process, const Evidence& evidence) {
  const auto late = [&](Pick pick) { return level(process.series, evidence.late, pick).value_or(0); };
  return late(&SeriesPoint::rss_bytes) - late(&SeriesPoint::file_bytes) - late(&SeriesPoint::low_bytes);
}

HeapGrowth heap_growth(const WatchedProcess& process, const AgentProcess& agent, const Sites& sites,
                       const Evidence& evidence) {
  HeapGrowth out;
  if (!agent.there_late || !process.there_late) return out;
  const double shared = change(process.series, agent.early, evidence.late, &SeriesPoint::shmem_bytes);
  out.gained_bytes =
      std::max(0.0, change(process.series, agent.early, evidence.late) - std::max(0.0, shared));
  out.live_bytes = std::clamp(agent.change_bytes, 0.0, out.gained_bytes);
  out.native_bytes = agent.native_share * out.live_bytes;
  double rest = out.gained_bytes - out.live_bytes;
  if (shares_pages(process.series)) {
    // Copied pages are in what it gained, and memory that was freed goes when another process follows.
    if (process.report.processes > 1) return out;
    const double held = change(process.series, agent.early, evidence.late, &SeriesPoint::held_bytes);
    rest = std::min(rest, held - std::max(0.0, shared) - out.live_bytes);
  }
  if (rest <= 2 * agent.error_bytes) return out;
  out.touched = first_touch_of(process, agent, sites, evidence, rest, out.live_bytes);
  // An allocator keeps only what was freed.
  const double retained = rest - out.touched.bytes;
  if (agent.freed_bytes >= kFreed * retained) out.retained_bytes = retained;
  return out;
}

LargestPart find_largest_part(const std::vector<WatchedProcess>& processes, const Sites& sites,
                              const Evidence& evidence, double (*part)(const HeapGrowth&)) {
  LargestPart largest;
  for (const WatchedProcess& process : processes) {
    const AgentProcess* agent = sites.find_process(process.report.info.id);
    if (agent == nullptr || copies_on_write(process, evidence)) continue;
    const HeapGrowth growth = heap_growth(process, *agent, sites, evidence);
    if (part(growth) > part(largest.growth)) largest = {&process, agent, growth};
  }
  return largest;
}

model::GrowthReport explain_growth(const Evidence& evidence, const std::vector<WatchedProcess>& processes,
                                   const Sites& sites, const model::Verdict& verdict) {
  model::GrowthReport out;
  out.floor_bytes = model::floor_growth(verdict.floor);
  if (!grows(evidence, verdict)) return out;
  const double all = tree_change(evidence);

  double copied = 0;
  double mapped = 0;
  HeapGrowth heaps;
  for (const WatchedProcess& process : processes) {
    mapped += std::max(0.0, change(process.series, evidence.early, evidence.late, &SeriesPoint::shmem_bytes));
    if (copies_on_write(process, evidence)) {
      copied += process.change_bytes;
      continue;
    }
    const AgentProcess* agent = sites.find_process(process.report.info.id);
    if (agent == nullptr) continue;
    const HeapGrowth growth = heap_growth(process, *agent, sites, evidence);
    heaps.live_bytes += growth.live_bytes;
    heaps.native_bytes += growth.native_bytes;
    heaps.retained_bytes += growth.retained_bytes;
    heaps.touched.bytes += growth.touched.bytes;
  }
  // /dev/shm is everybody's: what counts is what the tree maps, or what the job made and nobody maps.
  const SharedMemoryGrowth shared_growth = shared_memory_growth(evidence, processes);
  const double shared = std::min(mapped, shared_growth.bytes) + std::max(0.0, shared_growth.unmapped_bytes);
  double explained = 0;
  // The parts are measured between two windows and stated as parts of the whole growth. If most of that came
  // before the first window, they say nothing about it.
  const double whole = out.floor_bytes > 0 ? static_cast<double>(out.floor_bytes) : all;
  const double measured = all >= kMostMeasured * whole ? 1 : all / whole;
  const auto state = [&](model::Mechanism mechanism, double share) {
    out.mechanisms.push_back({mechanism, static_cast<std::uint64_t>(share * whole), share});
  };
  const auto add = [&](model::Mechanism mechanism, double bytes) {
    const double part = std::clamp(bytes, 0.0, all - explained);
    if (part < 0.02 * all) return;
    state(mechanism, measured * part / all);
    explained += part;
  };
  add(model::Mechanism::CopyOnWrite, copied);
  add(model::Mechanism::SharedMemory, shared);
  add(model::Mechanism::LiveObjects, heaps.live_bytes - heaps.native_bytes + heaps.touched.bytes);
  add(model::Mechanism::NativeLive, heaps.native_bytes);
  add(model::Mechanism::AllocatorRetention, heaps.retained_bytes);
  out.explained_share = measured * explained / all;
  constexpr double kLeastStated = 0.0005;  // less rounds to nothing
  if (const double rest = 1 - *out.explained_share; rest > kLeastStated)
    state(model::Mechanism::Unexplained, rest);
  return out;
}

}  // namespace lowtide::explain
