#include "explain/evidence/forked_children.h"

#include <algorithm>

namespace lowtide::explain {
namespace {

constexpr double kMostlyItsOwn = 0.98;  // of what a process holds: else it shares pages

bool shares_pages(const TrailPoint& point) {
  return static_cast<double>(point.low_bytes) < kMostlyItsOwn * static_cast<double>(point.held_bytes);
}

// Not one that another program took the place of by exec, soon after the fork.
bool is_forked(const ProcessEvidence& child, const model::ProcessInfo& parent) {
  if (child.trail.empty()) return child.info.command == parent.command;
  const auto shared = std::count_if(child.trail.begin(), child.trail.end(), shares_pages);
  return 2 * static_cast<std::size_t>(shared) > child.trail.size();
}

}  // namespace

bool shares_pages_with_children(const Evidence& evidence, const RespawnChains& lives,
                                const RecordedSeries& trail) {
  if (std::none_of(trail.begin(), trail.end(), shares_pages)) return false;
  return std::any_of(lives.begin(), lives.end(), [&](std::size_t at) {
    const model::ProcessInfo& parent = evidence.processes[at].info;
    return std::any_of(evidence.processes.begin(), evidence.processes.end(), [&](const ProcessEvidence& one) {
      return one.info.ppid == parent.pid && one.info.started_s >= parent.started_s &&
             one.info.started_s <= parent.ended_s.value_or(one.info.started_s) && is_forked(one, parent);
    });
  });
}

}  // namespace lowtide::explain
