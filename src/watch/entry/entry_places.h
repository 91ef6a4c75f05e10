// By which paths each process of the job finds the agent and its socket.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attach/inject.h"
#include "base/result.h"
#include "observe/agents/agent_socket.h"
#include "watch/entry/foothold.h"

namespace lowtide::watch {

// One thread at a time.
class EntryPlaces {
 public:
  // `socket_path` serves every process that sees our files and belongs to the user of the first such process.
  EntryPlaces(std::string agent_path, std::string socket_path)
      : agent_path_(std::move(agent_path)), socket_path_(std::move(socket_path)) {}

  // Makes a foothold where the process needs one. The same for all processes of one user in one file system.
  base::Result<attach::InjectOptions> find(pid_t pid);

  // The sockets of footholds that were made since the last call.
  [[nodiscard]] std::vector<observe::AgentSocket> take_sockets() { return std::exchange(sockets_, {}); }

 private:
  struct FileSystem {
    std::uint64_t mount_namespace = 0;
    std::uint64_t root_device = 0;
    std::uint64_t root_inode = 0;
    uid_t uid = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes the 0 of a comparison for a pointer
    friend auto operator<=>(const FileSystem&, const FileSystem&) = default;
  };

  static base::Result<FileSystem> file_system_of(pid_t pid);
  bool may_use_ours(pid_t pid, uid_t uid);

  std::string agent_path_;
  std::string socket_path_;
  std::optional<uid_t> our_user_;
  std::map<FileSystem, Foothold> footholds_;
  std::vector<observe::AgentSocket> sockets_;
};

}  // namespace lowtide::watch
