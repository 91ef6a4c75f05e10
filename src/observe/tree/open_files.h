// Files in memory that processes have open: of a tmpfs, and memfds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "observe/tree/tmpfs_folders.h"

namespace lowtide::observe {

inline constexpr std::string_view kMemfd = "/memfd:";

struct OpenFile {
  std::int64_t pid = 0;
  std::string name;        // "/dev/shm/batch1", "/memfd:frame1"
  std::size_t folder = 0;  // in which it is; memfds: none
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t bytes = 0;
  bool is_memfd = false;
  bool is_deleted = false;  // it has no name any more
  bool is_written = false;  // may be written by this descriptor
};

// Only files below the folders are asked for their size: a file system that does not answer would stop the
// monitor. A file with several descriptors is listed once for each of them.
std::vector<OpenFile> read_open_files(const std::string& proc, std::span<const std::int64_t> pids,
                                      std::span<const TmpfsFolder> folders);

}  // namespace lowtide::observe
