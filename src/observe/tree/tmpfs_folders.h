// File systems in memory that the job can fill: /dev/shm, and what else its processes see as a tmpfs, in
// their own mount namespaces. Each has a size, which counts for its files beside the limit of the memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "procfs/roots.h"

namespace lowtide::observe {

struct TmpfsFolder {
  std::string path;    // as the job sees it
  std::string access;  // as lowtide reaches it; empty: it cannot
  dev_t device = 0;
  bool is_tmpfs = false;  // then all files in it have its device, which is not so on every disk
  std::optional<std::uint64_t> first_used_bytes = {};
};

// How full a file system in memory is. Absent: it is none, it has no size, or it cannot be read.
struct TmpfsRoom {
  std::uint64_t used_bytes = 0;
  std::uint64_t total_bytes = 0;
};
std::optional<TmpfsRoom> read_tmpfs_room(const std::string& path);

class TmpfsFolders {
 public:
  explicit TmpfsFolders(const procfs::Roots& roots);

  // Reads the mount tables of the processes, one for each mount namespace.
  void update(std::span<const std::int64_t> pids);

  // The first is /dev/shm. One that was found keeps its place.
  [[nodiscard]] std::span<const TmpfsFolder> all() const { return folders_; }

 private:
  void add_mounts(std::int64_t pid, bool is_own_namespace);
  void add(const std::string& path, const std::string& access, dev_t device);

  std::string proc_;
  std::string shm_;
  std::vector<TmpfsFolder> folders_;
};

}  // namespace lowtide::observe
