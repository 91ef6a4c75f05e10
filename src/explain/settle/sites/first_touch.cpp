#include "explain/settle/sites/first_touch.h"

#include <algorithm>

#include "explain/settle/sites/own_frames.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastProven = 0.5;        // of what became resident
constexpr double kLeastBytes = 8e6;         // less may be pages of the interpreter
constexpr std::uint64_t kLargeBlock = 1e6;  // bytes of a block, on average
constexpr double kSame = 0.1;               // of its live memory: the line did not allocate more

// The arena of an allocator that a library has.
bool is_arena(const SiteGroup& group) {
  const auto& frames = group.frames();
  const auto native = std::find_if(frames.begin(), frames.end(), [](const model::Frame& frame) {
    return frame.language == model::FrameLanguage::Native;
  });
  return native != frames.end() && native->function == "mmap" && !find_native_library(frames).name.empty();
}

// Large blocks that were there early, and are still; not shared.
bool may_be_written(const SiteGroup& group, const AgentProcess& agent, const Evidence& evidence) {
  const double least = (1 - kSame) * static_cast<double>(group.live_bytes);
  return group.process.id == agent.info.id && !group.is_shared() && group.live_samples > 0 &&
         group.live_bytes / group.live_samples >= kLargeBlock &&
         level(group.live, agent.early).value_or(0) >= least &&
         level(group.live, evidence.late).value_or(0) >= least && !is_arena(group);
}

}  // namespace

FirstTouch first_touch_of(const WatchedProcess& process, const AgentProcess& agent, const Sites& sites,
                          const Evidence& evidence, double unexplained_bytes, double live_bytes) {
  const auto at_first = [&](Pick pick) { return level(process.series, agent.early, pick).value_or(0); };
  const double writable = at_first(&SeriesPoint::writable_bytes);
  if (writable <= 0) return {};  // a recording of before it was kept
  double blocks = 0;
  for (const SiteGroup& group : sites.groups) {
    if (may_be_written(group, agent, evidence)) blocks += static_cast<double>(group.live_bytes);
  }
  const double mapped =
      std::max(0.0, change(process.series, agent.early, evidence.late, &SeriesPoint::writable_bytes));
  // Pages that a forked process shares with its parent are resident too.
  const double resident = std::max(at_first(&SeriesPoint::low_bytes), at_first(&SeriesPoint::held_bytes));
  FirstTouch out;
  out.bytes = std::clamp(unexplained_bytes - std::max(0.0, mapped - live_bytes), 0.0, unexplained_bytes);
  out.unwritten_bytes = std::clamp(level(agent.live, agent.early).value_or(0) - resident, 0.0, blocks);
  if (out.bytes < kLeastBytes || out.unwritten_bytes < kLeastProven * out.bytes) return {};
  const auto late = [&](Pick pick) { return level(process.series, evidence.late, pick).value_or(0); };
  out.left_bytes =
      std::clamp(blocks - out.bytes, 0.0,
                 std::max(0.0, late(&SeriesPoint::writable_bytes) - late(&SeriesPoint::low_bytes)));
  return out;
}

const SiteGroup* find_written_block(const Sites& sites, const AgentProcess& agent, const Evidence& evidence) {
  const SiteGroup* found = nullptr;
  for (const SiteGroup& group : sites.groups) {
    if (!may_be_written(group, agent, evidence)) continue;
    if (found == nullptr || group.live_bytes > found->live_bytes) found = &group;
  }
  return found;
}

}  // namespace lowtide::explain
