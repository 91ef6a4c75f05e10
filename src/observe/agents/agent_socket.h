// Where agents hand over their memory files: a socket in a folder of lowtide.
//
// Not one of datagrams: of those the kernel keeps ten (net.unix.max_dgram_qlen), and of twenty workers that
// are forked at once half would never be heard. Connections wait by the thousand.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "wire/layout.h"

namespace lowtide::observe {

struct AgentHello {
  std::int32_t pid = 0;  // as we see it, from the kernel
  wire::AgentState state = wire::AgentState::Off;
  wire::OffReason reason = wire::OffReason::None;
  std::uint32_t python_version = 0;
  base::Fd file;  // none where the agent stays off

  // Not an agent but the child of a process that walks over its objects: `file` is of wire/snapshot.h.
  bool is_walk = false;
  std::int32_t pid_in_target = 0;  // of the process that is walked over, as it sees itself
  base::Fd connection;             // closed by the end of the walk
};

class AgentSocket {
 public:
  // Makes the socket `path`, at most 107 letters; a path that agents of other users
  // cannot write to keeps them out.
  static base::Result<AgentSocket> bind(const std::string& path);

  // The next hello, without waiting; nothing where there is none. What is not a hello
  // is thrown away.
  std::optional<AgentHello> receive();

  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  explicit AgentSocket(base::Fd socket) : socket_(std::move(socket)) {}

  base::Fd socket_;
  std::vector<base::Fd> silent_;  // have connected and said nothing yet
};

struct SocketPlace {
  std::string folder;  // of its own; its new owner removes it
  AgentSocket socket;
};

// In the user's runtime folder or /tmp; folders of monitors that were killed are removed on the way.
base::Result<SocketPlace> open_agent_socket();

}  // namespace lowtide::observe
