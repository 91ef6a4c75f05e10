#include "cli/deep_attach.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace lowtide::cli {

std::variant<DeepAttach, Complaint> DeepAttach::begin(pid_t pid, std::string agent_path,
                                                      std::string socket_path) {
  attach::InjectOptions options;
  options.agent_path = std::move(agent_path);
  options.socket_path = std::move(socket_path);
  const auto injected = attach::inject_agent(pid, options);
  if (!injected) {
    const attach::Advice advice = attach::advise(pid, injected.error());
    return Complaint{
        fmt::format("cannot enter process {}: {}", pid, base::printable(injected.error().message)),
        advice.why, advice.attempt};
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

}  // namespace lowtide::cli
