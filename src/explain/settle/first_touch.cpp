#include "explain/settle/first_touch.h"

#include <algorithm>

namespace lowtide::explain {
namespace {

constexpr double kLeastProven = 0.5;        // of what became resident
constexpr double kLeastBytes = 8e6;         // less may be pages of the interpreter
constexpr std::uint64_t kLargeBlock = 1e6;  // bytes of a block, on average
constexpr double kSame = 0.1;               // of its live memory: the line did not allocate more

}  // namespace

FirstTouch first_touch_of(const WatchedProcess& process, const AgentProcess& agent, const Evidence& evidence,
                          double unexplained_bytes, double live_bytes) {
  const auto at_first = [&](Pick pick) { return level(process.trail, agent.early, pick).value_or(0); };
  const double writable = at_first(&TrailPoint::writable_bytes);
  if (writable <= 0) return {};  // a recording of before it was kept
  const double mapped =
      std::max(0.0, change(process.trail, agent.early, evidence.late, &TrailPoint::writable_bytes));
  FirstTouch out;
  out.bytes = std::clamp(unexplained_bytes - std::max(0.0, mapped - live_bytes), 0.0, unexplained_bytes);
  out.unwritten_bytes =
      std::max(0.0, level(agent.live, agent.early).value_or(0) - at_first(&TrailPoint::low_bytes));
  if (out.bytes < kLeastBytes || out.unwritten_bytes < kLeastProven * out.bytes) return {};
  const auto late = [&](Pick pick) { return level(process.trail, evidence.late, pick).value_or(0); };
  out.left_bytes =
      std::clamp(level(agent.live, evidence.late).value_or(0) - out.bytes, 0.0,
                 std::max(0.0, late(&TrailPoint::writable_bytes) - late(&TrailPoint::low_bytes)));
  return out;
}

const SiteGroup* find_written_block(const Sites& sites, const AgentProcess& agent, const Evidence& evidence) {
  const SiteGroup* found = nullptr;
  for (const SiteGroup& group : sites.groups) {
    const auto live = static_cast<double>(group.live_bytes);
    if (group.process.id != agent.info.id || group.is_shared() || group.live_samples == 0 ||
        group.live_bytes / group.live_samples < kLargeBlock ||
        level(group.live, agent.early).value_or(0) < (1 - kSame) * live ||
        level(group.live, evidence.late).value_or(0) < (1 - kSame) * live) {
      continue;
    }
    if (found == nullptr || group.live_bytes > found->live_bytes) found = &group;
  }
  return found;
}

}  // namespace lowtide::explain
