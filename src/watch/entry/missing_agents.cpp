#include "watch/entry/missing_agents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "observe/agents/socket_folder.h"
#include "procfs/text_file.h"
#include "record/meta.h"
#include "symbols/maps.h"
#include "watch/entry/process_image.h"

namespace lowtide::watch {
namespace {

constexpr double kLookEveryS = 2;
constexpr double kLeastAgeS = 5;
constexpr std::uint64_t kLeastBytes = 32'000'000;
constexpr int kMostPerTick = 8;
constexpr std::size_t kMostCommandBytes = 60;

}  // namespace

std::string_view reason_without_agent(std::string_view maps, std::string_view environment,
                                      std::string_view socket_path) {
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (has(maps, '/' + std::string(observe::kAgentFileName))) return {};
  if (!has(environment, socket_path) || !has(environment, observe::kAgentFileName)) {
    return "its environment does not load the agent (LD_PRELOAD was removed, for example by env -i or sudo)";
  }
  if (!has(maps, "/ld-") && !has(maps, "/ld.so")) return "it is a static program";
  return "the loader did not load the agent: it runs as another user, or sees other files";
}

void MissingAgents::tick(const observe::ProcessTree& tree, observe::AgentRegistry& agents, double at_s) {
  if (at_s < next_look_s_) return;
  next_look_s_ = at_s + kLookEveryS;
  drop_replaced(tree, agents);
  const std::vector<std::int32_t> with_agent = agents.pids();
  std::map<std::int64_t, std::uint64_t> known;
  int checked = 0;
  for (const observe::Member& member : tree.members()) {
    const model::ProcessInfo& info = member.info;
    const auto before = known_.find(info.pid);
    if (before != known_.end() && before->second == info.start_ticks) {
      known.insert(*before);
      continue;
    }
    if (at_s - info.started_s < kLeastAgeS || member.status.rss_bytes < kLeastBytes ||
        checked >= kMostPerTick ||
        std::find(with_agent.begin(), with_agent.end(), info.pid) != with_agent.end()) {
      continue;
    }
    ++checked;
    known.emplace(info.pid, info.start_ticks);
    note(member, agents.socket_path());
  }
  known_ = std::move(known);
}

// An exec that loads the agent again is followed by a new hello. An agent that said hello since the previous
// check may be that of either program: it stays, and is checked the next time.
void MissingAgents::drop_replaced(const observe::ProcessTree& tree, observe::AgentRegistry& agents) {
  std::map<std::int64_t, Entered> entered;
  for (const std::int32_t pid : agents.pids()) {
    const observe::Member* member = tree.find(pid);
    const std::uint64_t image = member == nullptr ? 0 : read_image(pid);
    if (image == 0) continue;
    const auto before = entered_.find(pid);
    const bool is_replaced = before != entered_.end() &&
                             before->second.start_ticks == member->info.start_ticks &&
                             before->second.image != image;
    if (is_replaced && agents.began_s(pid) < before->second.seen_s) {
      agents.note_exec(pid);
      continue;
    }
    entered[pid] = {member->info.start_ticks, image, base::steady_seconds()};
  }
  entered_ = std::move(entered);
}

// One that cannot be read belongs to somebody else or has ended: nothing is known of it.
void MissingAgents::note(const observe::Member& member, const std::string& socket_path) {
  const auto maps = symbols::read_maps_text("/proc", static_cast<std::int32_t>(member.info.pid));
  const auto environment = procfs::read_text(fmt::format("/proc/{}/environ", member.info.pid));
  if (!maps || !environment) return;
  const std::string_view reason = reason_without_agent(maps.value(), environment.value(), socket_path);
  if (reason.empty()) return;
  if (texts_.size() >= record::kMostNotEntered) {
    ++not_listed_;
    return;
  }
  texts_.push_back(fmt::format("pid {} ({}): {}", member.info.pid,
                               base::printable(member.info.command, kMostCommandBytes), reason));
}

}  // namespace lowtide::watch
