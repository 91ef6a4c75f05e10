// The folder that holds the agents' socket, and what dead monitors left of theirs.
//
// A monitor that is killed with SIGKILL cannot remove its folder. Every way that leaves
// nothing behind reaches fewer jobs (docs/design/agent.md), so the next monitor of the
// same user removes it: a socket that nobody has bound any more refuses to be connected.
//
// Only the kernel that made a socket knows whether it is bound, and /tmp may be shared by
// machines: the name of a folder contains the boot that it belongs to.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lowtide::observe {

inline constexpr std::string_view kSocketName = "agents";
inline constexpr std::string_view kAgentFileName = "liblowtide_agent.so";  // a copy, in a container's folder

// The first digits of the kernel's boot id; nothing where it cannot be read.
std::optional<std::string> read_boot_mark();

// PARENT/lowtide-MARK-XXXXXX, which nobody else may enter.
base::Result<std::string> make_socket_folder(const std::string& parent, std::string_view boot_mark);

// Removes folders of this user (root: of all users) and this boot whose monitor is dead, and returns how
// many. Looks at a bounded number of names: /tmp may hold millions.
std::size_t remove_dead_folders(const std::string& parent, std::string_view boot_mark);

}  // namespace lowtide::observe
