#include "explain/evidence/forked_children.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "explain/evidence/respawn_chains.h"

namespace lowtide::explain {
namespace {

constexpr double kMostlyItsOwn = 0.98;  // of what a process holds: else it shares pages

bool is_shared(const SeriesPoint& point) {
  return static_cast<double>(point.low_bytes) < kMostlyItsOwn * static_cast<double>(point.held_bytes);
}

// Not one that another program took the place of by exec, soon after the fork.
bool is_forked(const ProcessEvidence& child, const model::ProcessInfo& parent) {
  return child.series.empty() ? child.info.command == parent.command : shares_pages(child.series);
}

bool has_forked_parent(const Evidence& evidence, const ProcessEvidence& process,
                       const std::vector<std::size_t>& parents) {
  return shares_pages(process.series) && std::any_of(parents.begin(), parents.end(), [&](std::size_t at) {
           return evidence.processes[at].info.pid == process.info.ppid;
         });
}

bool shares_pages_with_children(const Evidence& evidence, const ProcessEvidence& process) {
  if (std::none_of(process.series.begin(), process.series.end(), is_shared)) return false;
  const model::ProcessInfo& parent = process.info;
  return std::any_of(evidence.processes.begin(), evidence.processes.end(), [&](const ProcessEvidence& one) {
    return one.info.ppid == parent.pid && one.info.started_s >= parent.started_s &&
           one.info.started_s <= parent.ended_s.value_or(one.info.started_s) && is_forked(one, parent);
  });
}

}  // namespace

bool shares_pages(const RecordedSeries& series) {
  const auto shared = std::count_if(series.begin(), series.end(), is_shared);
  return 2 * static_cast<std::size_t>(shared) > series.size();
}

void count_shared_pages_of_parents(Evidence& evidence) {
  std::vector<std::size_t> parents;
  for (const RespawnChain& chain : find_respawn_chains(evidence.processes)) {
    const bool is_parent = std::any_of(chain.begin(), chain.end(), [&](std::size_t at) {
      return shares_pages_with_children(evidence, evidence.processes[at]);
    });
    if (is_parent) parents.insert(parents.end(), chain.begin(), chain.end());
  }
  // Pages that a parent shares with its own parent are counted there.
  std::vector<std::size_t> outermost;
  std::copy_if(parents.begin(), parents.end(), std::back_inserter(outermost),
               [&](std::size_t at) { return !has_forked_parent(evidence, evidence.processes[at], parents); });
  for (const std::size_t at : outermost) {
    evidence.processes[at].counts_shared_pages = true;
    for (SeriesPoint& point : evidence.processes[at].series) {
      point.low_bytes = point.held_bytes;
      point.high_bytes = std::max(point.high_bytes, point.held_bytes);
    }
  }
}

}  // namespace lowtide::explain
