// Where the child that walks hands over its file.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "model/snapshot.h"
#include "observe/agents/agent_socket.h"

namespace lowtide::observe {

class SnapshotSocket {
 public:
  // In a folder of its own, which goes with it.
  static base::Result<SnapshotSocket> open();
  ~SnapshotSocket();
  SnapshotSocket(SnapshotSocket&& other) noexcept;
  SnapshotSocket& operator=(SnapshotSocket&&) = delete;
  SnapshotSocket(const SnapshotSocket&) = delete;
  SnapshotSocket& operator=(const SnapshotSocket&) = delete;

  [[nodiscard]] std::string path() const;

  // Waits for the child to come, and to end. Io: it did not come, or it died before it had
  // counted anything. Gone: it waited for a lock, and another one may not.
  base::Result<model::Snapshot> receive(std::chrono::milliseconds to_come, std::chrono::milliseconds to_end);

 private:
  explicit SnapshotSocket(SocketPlace place) : place_(std::move(place)) {}

  SocketPlace place_;
};

}  // namespace lowtide::observe
