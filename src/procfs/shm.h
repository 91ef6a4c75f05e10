#pragma once

#include <cstdint>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

// How full /dev/shm is: DataLoader workers pass batches through it, and a full
// one kills them with SIGBUS. Docker gives 64 MiB unless told.
struct SharedMemory {
  std::uint64_t used_bytes = 0;
  std::uint64_t total_bytes = 0;
};

base::Result<SharedMemory> read_shared_memory(const Roots& roots);

}  // namespace lowtide::procfs
