// Shared memory that outlives its mappings: files in /dev/shm and other tmpfs, System V segments, memfds.
// Where no process maps it, no process has it in its memory, and it is still taken from the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/shared_group.h"
#include "model/tick.h"
#include "observe/tree/open_files.h"
#include "observe/tree/shared_files.h"
#include "observe/tree/tmpfs_folders.h"
#include "procfs/roots.h"

namespace lowtide::observe {

inline constexpr std::size_t kMostSharedGroups = 8;

class SharedObjects {
 public:
  explicit SharedObjects(const procfs::Roots& roots, std::optional<double> since_unix_s = {})
      : roots_(roots), folders_(roots), files_(roots, since_unix_s) {}

  // The bytes of what the processes made, mapped or not:
  // - files in /dev/shm and other tmpfs that were made since the job began (shared_files.h)
  // - System V segments that one of them created
  // - memfds that one of them has open
  // Expensive readings are repeated rarely: in between the last sum is returned.
  std::uint64_t read(std::span<const std::int64_t> pids, double at_s);

  // Files may have come or gone since the last reading: the used bytes of a tmpfs with files of the job moved
  // by more than this.
  [[nodiscard]] bool has_moved(std::uint64_t bytes) const;

  // How full /dev/shm is now, and each other tmpfs in which the job has files.
  void fill(std::vector<model::TmpfsReading>& into) const;
  // Where the tmpfs with this number is mounted, as the job sees it.
  [[nodiscard]] const std::string& path_of(int index) const;

  // The largest groups, the largest first.
  [[nodiscard]] const std::vector<model::SharedGroup>& groups() const { return groups_; }
  // The first of them: "430 files like /dev/shm/batch*.npy (219 MB)"; empty where there is nothing.
  [[nodiscard]] std::string largest_words() const;

 private:
  void add_segments();
  void add_memfds(std::span<const OpenFile> open);
  void order_groups();

  procfs::Roots roots_;
  TmpfsFolders folders_;
  SharedFiles files_;
  bool has_begun_ = false;
  std::set<std::int64_t> creators_;  // of all processes until now: a segment outlives its creator
  std::vector<model::SharedGroup> groups_;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> used_bytes_;  // of each folder, at the last reading
  double next_s_ = 0;
};

}  // namespace lowtide::observe
