// The file that the child writes its findings into: memory of its own that the monitor is handed.
#pragma once

#include <cstdint>

#include "wire/snapshot.h"

namespace lowtide::agent {

class SnapshotFile {
 public:
  // Makes the file and hands it to who listens at the socket. What is written later is seen there.
  // Our end of the connection stays open as long as we live: that is how the other side knows.
  bool open(const char* socket_path, std::int32_t target_pid);

  [[nodiscard]] wire::SnapshotHeader& header() const { return *header_; }
  void set(wire::SnapshotPart part) { header_->parts |= static_cast<std::uint32_t>(part); }

  // Room for a record with texts after it, zeroed; null when the file is full.
  void* add(wire::SnapshotRecordKind kind, std::uint64_t bytes);

 private:
  bool hand_over(const char* socket_path);

  long fd_ = -1;
  wire::SnapshotHeader* header_ = nullptr;
};

}  // namespace lowtide::agent
