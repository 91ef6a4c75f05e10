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

  // Waits for the child to connect and to end. Gone: it did not connect, died early, or waited for a lock;
  // another one may come to its end. Io: its time was over before it had counted the objects.
  base::Result<model::Snapshot> receive(std::chrono::milliseconds to_come, std::chrono::milliseconds to_end);

 private:
  explicit SnapshotSocket(SocketPlace place) : place_(std::move(place)) {}

  SocketPlace place_;
};

}  // namespace lowtide::observe
