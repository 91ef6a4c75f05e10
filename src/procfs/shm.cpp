#include "procfs/shm.h"

#include <sys/statvfs.h>

#include <cerrno>

#include "procfs/text_file.h"

namespace lowtide::procfs {

base::Result<SharedMemory> read_shared_memory(const Roots& roots) {
  struct statvfs room {};
  if (::statvfs(roots.shm.c_str(), &room) != 0) {
    return make_system_error(errno, roots.shm);
  }
  const std::uint64_t unit_bytes = room.f_frsize;
  return SharedMemory{.used_bytes = (room.f_blocks - room.f_bfree) * unit_bytes,
                      .total_bytes = room.f_blocks * unit_bytes};
}

}  // namespace lowtide::procfs
