// How the agent gets into a job that we start: by the loader, at the job's own start.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lowtide::watch {

// Beside this program, or where it is installed; LOWTIDE_AGENT names another one.
std::optional<std::string> find_agent_library();

// What to add to the job's environment, as NAME=VALUE. Other libraries that are preloaded stay, behind ours.
std::vector<std::string> agent_environment(const std::string& library, const std::string& socket_path);

}  // namespace lowtide::watch
