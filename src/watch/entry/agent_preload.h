// How the agent gets into a job that lowtide starts: by LD_PRELOAD.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lowtide::watch {

// Searches the folder of this program and the installation; LOWTIDE_AGENT overrides both.
std::optional<std::string> find_agent_library();

// The settings to add to the job's environment, as NAME=VALUE. Libraries that are already preloaded stay.
std::vector<std::string> agent_environment(const std::string& library, const std::string& socket_path);

}  // namespace lowtide::watch
