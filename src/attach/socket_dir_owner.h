// The folder of the socket, in the hands of the target's user.

#pragma once

#include <sys/types.h>

#include <string>

#include "attach/inject.h"
#include "base/fd.h"
#include "base/result.h"

namespace lowtide::attach {

// The folder that `path` lies in.
std::string folder_of(const std::string& path);

// The paths by which we reach the folder of the socket, the socket and the agent. The target may use others.
std::string own_folder(const InjectOptions& options);
std::string own_socket_path(const InjectOptions& options);
std::string own_agent_path(const InjectOptions& options);

// The target must reach the socket: gives it, and the folder that was made for it, to the
// target's user where he is another (only root has targets of other users). Returns the
// folder, opened: from then on he may put a link in its place, so whoever is root uses no
// path to it.
base::Result<base::Fd> chown_socket_dir(const InjectOptions& options, uid_t uid);

}  // namespace lowtide::attach
