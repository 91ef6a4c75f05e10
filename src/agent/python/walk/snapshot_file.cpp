#include "agent/python/walk/snapshot_file.h"

#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent/heap/memory.h"
#include "agent/heap/monitor_socket.h"
#include "agent/heap/send_descriptor.h"
#include "agent/heap/system_call.h"

namespace lowtide::agent {

bool SnapshotFile::open(const char* socket_path, std::int32_t target_pid) {
  fd_ = system_call(SYS_memfd_create, as_word("lowtide-snapshot"), MFD_CLOEXEC);
  if (failed(fd_) || failed(system_call(SYS_ftruncate, fd_, wire::kMaxSnapshotBytes))) {
    return false;
  }
  const long mapped =
      system_call(SYS_mmap, 0, wire::kMaxSnapshotBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (failed(mapped)) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  header_ = reinterpret_cast<wire::SnapshotHeader*>(mapped);
  header_->magic = wire::kSnapshotMagic;
  header_->version = wire::kSnapshotVersion;
  header_->used_bytes = sizeof(wire::SnapshotHeader);
  header_->pid = target_pid;
  return hand_over(socket_path);
}

bool SnapshotFile::hand_over(const char* socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  for (std::size_t at = 0; socket_path[at] != 0; ++at) {
    if (at + 1 == sizeof(address.sun_path)) {
      return false;
    }
    address.sun_path[at] = socket_path[at];
  }
  const long socket = connect_to_monitor(address, 0);
  if (failed(socket)) {
    return false;
  }
  wire::SnapshotHello hello{wire::kSnapshotMagic, wire::kSnapshotVersion, header_->pid,
                            wire::kMaxSnapshotBytes};
  return !failed(send_descriptor(socket, &hello, sizeof(hello), fd_, 0));
}

void* SnapshotFile::add(wire::SnapshotRecordKind kind, std::uint64_t bytes) {
  bytes = (bytes + 7U) & ~7ULL;
  if (header_->used_bytes + bytes > wire::kMaxSnapshotBytes) {
    set(wire::SnapshotPart::OutOfRoom);
    return nullptr;
  }
  auto* at = reinterpret_cast<char*>(header_) + header_->used_bytes;
  auto* record = reinterpret_cast<wire::SnapshotRecord*>(at);
  record->kind = kind;
  record->bytes = static_cast<std::uint32_t>(bytes);
  header_->used_bytes += bytes;
  return record;
}

}  // namespace lowtide::agent
