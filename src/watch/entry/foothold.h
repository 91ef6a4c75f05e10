// The agent and a socket for it in the file system of a process that does not see ours.
//
// A process in another mount namespace or under another root (a container, a chroot) finds neither our
// library nor our socket. A process of a second user finds them, but may not enter a folder that belongs to
// the first. Both get a folder of their own in a temporary folder that they see: a copy of the library, and a
// socket. A socket with a path is found by its inode, so it also connects network namespaces.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "attach/inject.h"
#include "base/fd.h"
#include "base/result.h"
#include "observe/agents/agent_socket.h"

namespace lowtide::watch {

class Foothold {
 public:
  // Unsupported: it has no folder that can be written and that a library can be loaded from.
  static base::Result<Foothold> make(pid_t pid, const std::string& agent_path);

  Foothold(Foothold&& other) noexcept = default;
  Foothold& operator=(Foothold&&) = delete;
  Foothold(const Foothold&) = delete;
  Foothold& operator=(const Foothold&) = delete;
  // Removes the folder.
  ~Foothold();

  [[nodiscard]] attach::InjectOptions options() const;
  // Where its agents say hello; to be taken once.
  [[nodiscard]] std::optional<observe::AgentSocket> take_socket() {
    return std::exchange(socket_, std::nullopt);
  }

 private:
  Foothold(base::Fd parent, std::string path_in_target)
      : parent_(std::move(parent)), path_(std::move(path_in_target)) {}

  base::Result<bool> fill(const std::string& agent_path);

  base::Fd parent_;   // the temporary folder
  base::Fd folder_;   // in it
  std::string path_;  // of the folder, as the target sees it
  std::optional<observe::AgentSocket> socket_;
};

}  // namespace lowtide::watch
