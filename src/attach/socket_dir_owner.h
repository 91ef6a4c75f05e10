// The folder of the socket, in the hands of the target's user.

#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace lowtide::attach {

// The folder that `path` lies in.
std::string folder_of(const std::string& path);

// The target must reach the socket: gives it, and the folder that was made for it, to the
// target's user where he is another (only root has targets of other users). Returns the
// folder, opened: from then on he may put a link in its place, so whoever is root uses no
// path to it.
base::Result<base::Fd> chown_socket_dir(const std::string& socket_path, uid_t uid);

}  // namespace lowtide::attach
