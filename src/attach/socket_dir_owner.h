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

// The paths by which we reach the folder of the socket and the agent. The target may use others.
std::string own_folder(const InjectOptions& options);
std::string own_agent_path(const InjectOptions& options);

// The target must reach the socket. If the target has another user (only root has such
// targets), that user becomes the owner of the socket and of its folder. Returns the folder,
// opened: from then on that user may replace it by a link, so root must not use a path to it.
base::Result<base::Fd> chown_socket_dir(const InjectOptions& options, uid_t uid);

}  // namespace lowtide::attach
