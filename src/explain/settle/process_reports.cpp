#include "explain/settle/process_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/evidence/respawn_chains.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewProcesses = 12;  // a tree of so few is listed whole
constexpr std::size_t kMostListed = 200;
constexpr double kLarge = 0.1;  // of the peak of the tree: listed however briefly it lived

WatchedProcess judge_chain(const Evidence& evidence, const RespawnChain& chain) {
  const ProcessEvidence& first = evidence.processes[chain.front()];
  WatchedProcess out;
  out.report.info = evidence.processes[chain.back()].info;
  out.report.info.started_s = first.info.started_s;
  out.report.processes = static_cast<std::uint32_t>(chain.size());
  // The latest that was read: one that ended at once has left no reading.
  const auto read = std::find_if(chain.rbegin(), chain.rend(),
                                 [&](std::size_t at) { return !evidence.processes[at].series.empty(); });
  if (read != chain.rend()) out.report.bytes = evidence.processes[*read].bytes;
  out.series = joined_series(evidence.processes, chain);
  out.counts_shared_pages = first.counts_shared_pages;

  model::SeriesReport& series = out.report.series;
  series = judge_part(out.series, evidence);
  series.pid = out.report.info.pid;
  series.command = out.report.info.command;
  series.name = fmt::format("pid {} ({})", out.report.info.pid, short_command(out.report.info.command));
  out.change_bytes = change(out.series, evidence.early, evidence.late);
  out.there_late = level(out.series, evidence.late).has_value();
  for (const std::size_t at : chain) out.pss_readings += evidence.processes[at].pss_readings;
  return out;
}

std::uint64_t readings_of(const Evidence& evidence, const RespawnChain& chain) {
  std::uint64_t readings = 0;
  for (const std::size_t at : chain) {
    for (const SeriesPoint& point : evidence.processes[at].series) readings += point.count;
  }
  return readings;
}

std::uint64_t peak_of(const Evidence& evidence, const RespawnChain& chain) {
  std::uint64_t peak = 0;
  for (const std::size_t at : chain) {
    for (const SeriesPoint& point : evidence.processes[at].series) peak = std::max(peak, point.high_bytes);
  }
  return peak;
}

// Sorts the list and moves those that are not listed to the short-lived.
void keep_largest(WatchedProcesses& out) {
  // Differences below a MB are no order: what holds more comes first then.
  const auto growth_mb = [](const WatchedProcess& process) { return std::floor(process.change_bytes / 1e6); };
  std::stable_sort(out.listed.begin(), out.listed.end(),
                   [&](const WatchedProcess& a, const WatchedProcess& b) {
                     const double left = std::max(0.0, growth_mb(a));
                     const double right = std::max(0.0, growth_mb(b));
                     if (left != right) return left > right;
                     return a.report.series.peak_bytes > b.report.series.peak_bytes;
                   });
  for (std::size_t at = kMostListed; at < out.listed.size(); ++at) {
    out.short_lived.count += out.listed[at].report.processes;
    out.short_lived.largest_bytes =
        std::max(out.short_lived.largest_bytes, out.listed[at].report.series.peak_bytes);
  }
  if (out.listed.size() > kMostListed) out.listed.resize(kMostListed);
}

}  // namespace

WatchedProcesses judge_processes(const Evidence& evidence) {
  const std::vector<RespawnChain> all = find_respawn_chains(evidence.processes);
  double tree_peak = 0;
  for (const SeriesPoint& point : evidence.target) {
    tree_peak = std::max(tree_peak, static_cast<double>(point.high_bytes));
  }
  WatchedProcesses out;
  for (const RespawnChain& chain : all) {
    const std::uint64_t peak = peak_of(evidence, chain);
    const bool is_root = evidence.processes[chain.front()].info.pid == evidence.header.root_pid;
    const bool listed = all.size() <= kFewProcesses || is_root ||
                        readings_of(evidence, chain) >= kFewestReadings ||
                        static_cast<double>(peak) >= kLarge * tree_peak;
    if (listed) {
      out.listed.push_back(judge_chain(evidence, chain));
      if (out.listed.size() >= 2 * kMostListed) keep_largest(out);
      continue;
    }
    out.short_lived.count += chain.size();
    out.short_lived.largest_bytes = std::max(out.short_lived.largest_bytes, peak);
  }
  keep_largest(out);
  return out;
}

bool is_flat(const WatchedProcess& process) {
  const model::Verdict& verdict = process.report.series.verdict;
  switch (verdict.kind) {
    case model::VerdictKind::Stable:
    case model::VerdictKind::Spikes:
    case model::VerdictKind::Warmup:
      return true;
    case model::VerdictKind::Leak:
      return false;
    case model::VerdictKind::Inconclusive:
      break;
  }
  const double floor = static_cast<double>(verdict.floor.last_bytes);
  return verdict.samples >= kFewestReadings && process.there_late &&
         std::abs(process.change_bytes) <= std::max(0.01 * floor, 256e3);
}

std::string at_middle(const Window& window, const Evidence& evidence) {
  const double at_s = (window.from_s + window.to_s) / 2;
  const SeriesPoint* point = evidence.steps.known ? nearest(evidence.target, at_s) : nullptr;
  if (point == nullptr || std::isnan(point->step)) return "at " + base::format_seconds(at_s);
  return "at step " + base::format_count(static_cast<std::uint64_t>(std::max(0.0, point->step)));
}

}  // namespace lowtide::explain
