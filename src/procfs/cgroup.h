// The memory of a cgroup, and the limit that will kill the job in it.
//
// The limit need not be the cgroup's own: every ancestor may have one, and the
// tightest of them counts. All files stay open, because a tick reads them again;
// once the cgroup is removed its files answer ENODEV, which is reported as Gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "procfs/cgroup_path.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

struct CgroupReading {
  std::uint64_t current_bytes = 0;  // page cache included
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;               // page cache, shared memory included, as the kernel counts it
  std::uint64_t shmem_bytes = 0;              // tmpfs and /dev/shm: cannot be dropped
  std::uint64_t inactive_file_bytes = 0;      // what is dropped first when memory gets tight
  std::optional<std::uint64_t> kernel_bytes;  // page tables, slab, stacks, socket buffers
  std::optional<std::uint64_t> oom_events;    // how often the limit was hit and nothing could be freed
  std::optional<std::uint64_t> oom_kill_events;  // processes of this cgroup that the kernel killed
};

struct CgroupLimit {
  std::uint64_t bytes = 0;
  std::uint64_t current_bytes = 0;  // what the cgroup that has the limit uses, siblings included
  // Whose limit it is: 0 the job's own cgroup, 1 its parent ... levels() when it
  // lies above what we can see (v1 shows the lowest limit but not which cgroup has it).
  std::size_t level = 0;
};

struct CgroupLimits {
  std::optional<CgroupLimit> max;   // above it the kernel kills
  std::optional<CgroupLimit> high;  // above it the kernel slows the job down (v2 only)
  // The least that is left under any limit on the way up: smaller than
  // max.bytes - max.current_bytes where neighbours fill a wider limit above.
  std::optional<std::uint64_t> headroom_bytes;
  // memory.oom.group: at the limit the kernel kills all processes of a cgroup, not only one (v2 only).
  bool kills_together = false;
};

// v2 "max" and v1's huge number mean that there is none.
base::Result<std::optional<std::uint64_t>> parse_cgroup_limit(std::string_view text);

// memory.stat of either version.
struct CgroupStat {
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t inactive_file_bytes = 0;
  std::optional<std::uint64_t> kernel_bytes;
  std::optional<std::uint64_t> hierarchical_limit_bytes;  // v1 only
};
base::Result<CgroupStat> parse_cgroup_stat(std::string_view text, int version);

// v2 memory.events, v1 memory.oom_control.
struct CgroupEvents {
  std::optional<std::uint64_t> oom;
  std::optional<std::uint64_t> oom_kill;
};
CgroupEvents parse_cgroup_events(std::string_view text);

class CgroupMemory {
 public:
  // The cgroup that `pid` is in now. Unsupported where there is none that
  // counts memory (the root cgroup of v2, no controller): the reason is in the message.
  static base::Result<CgroupMemory> open(const Roots& roots, std::int32_t pid);

  // No allocation. Gone once the cgroup was removed.
  base::Result<CgroupReading> read();
  base::Result<CgroupLimits> read_limits();

  [[nodiscard]] int version() const { return folder_.version; }
  // The path in the hierarchy as we see it, "/" for its top, "" above it.
  [[nodiscard]] std::string path(std::size_t level = 0) const;
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  // False in a container: limits above its own are not visible from inside.
  [[nodiscard]] bool sees_whole_hierarchy() const { return sees_root_; }

 private:
  struct Level {
    std::string path;
    base::Fd current;
    base::Fd max;
    base::Fd high;       // v2 only
    base::Fd oom_group;  // the same
  };

  explicit CgroupMemory(CgroupFolder folder) : folder_(std::move(folder)) {}
  void open_level(const std::string& path);
  void open_counters();
  base::Result<CgroupStat> read_stat();
  // False where the file sets no limit.
  bool note_limit(std::size_t level, const base::Fd& file, std::uint64_t current_bytes,
                  std::optional<CgroupLimit>& tightest, std::optional<std::uint64_t>& headroom_bytes) const;

  CgroupFolder folder_;
  std::vector<Level> levels_;  // the job's own first
  base::Fd stat_;
  base::Fd events_;
  base::Fd kernel_;  // v1 only
  bool sees_root_ = false;
};

}  // namespace lowtide::procfs
