#pragma once

#include <string>

namespace lowtide::procfs {

// Where the kernel's files lie. Tests and containers with a mounted host /proc
// point them elsewhere; nothing in this folder names these paths by itself.
struct Roots {
  std::string proc = "/proc";
  std::string cgroup = "/sys/fs/cgroup";
  std::string shm = "/dev/shm";
};

}  // namespace lowtide::procfs
