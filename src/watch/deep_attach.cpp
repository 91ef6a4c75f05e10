#include "watch/deep_attach.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace lowtide::watch {

std::variant<DeepAttach, console::UserError> DeepAttach::begin(pid_t pid, std::string agent_path,
                                                               std::string socket_path) {
  attach::InjectOptions options;
  options.agent_path = std::move(agent_path);
  options.socket_path = std::move(socket_path);
  const auto injected = attach::inject_agent(pid, options);
  if (!injected) {
    const attach::Advice advice = attach::advise(pid, injected.error());
    return console::UserError{
        fmt::format("cannot enter process {}: {}", pid, base::printable(injected.error().message)),
        advice.why, advice.hint};
  }
  return DeepAttach(pid, std::move(options), injected.value());
}

std::string DeepAttach::end() {
  const auto retired = attach::retire_agent(pid_, options_);
  if (retired || retired.error().code == base::ErrorCode::Gone) {
    return {};
  }
  return fmt::format("the agent's hooks are still in process {}, switched off: {}", pid_,
                     base::printable(retired.error().message));
}

pid_t choose_deep_target(observe::ProcessTree& tree, pid_t pid) {
  // A minute later by the tree's clock: it does not take in who has only just begun.
  constexpr double kLaterS = 60;
  tree.refresh(kLaterS);
  const observe::Member* chosen = tree.find(pid);
  if (chosen == nullptr || chosen->info.role != model::ProcessRole::Wrapper) return pid;
  for (const observe::Member& member : tree.members()) {
    if (member.status.anon_bytes > chosen->status.anon_bytes) chosen = &member;
  }
  return static_cast<pid_t>(chosen->info.pid);
}

}  // namespace lowtide::watch
