// File systems in memory that a process can write to: /dev/shm, and often /tmp and /run.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::procfs {

struct TmpfsMount {
  dev_t device = 0;   // st_dev of each file in it
  std::string point;  // as the process sees it
};

// Those that are not read-only, in the order of the table. One may be hidden by a later mount at the same
// place: then a file there has another st_dev.
std::vector<TmpfsMount> parse_tmpfs_mounts(std::string_view mountinfo);

}  // namespace lowtide::procfs
