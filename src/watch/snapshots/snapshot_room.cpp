#include "watch/snapshots/snapshot_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "procfs/cgroup.h"
#include "procfs/process_files.h"

namespace lowtide::watch {

std::optional<std::string> reason_against_snapshot(std::optional<std::uint64_t> room_bytes,
                                                   std::uint64_t rss_bytes) {
  if (!room_bytes || *room_bytes >= worst_walk_bytes(rss_bytes)) return std::nullopt;
  return fmt::format(
      "at its memory limit the cgroup kills all processes of the job (memory.oom.group), and only {} is "
      "left, "
      "but a snapshot can take {}",
      base::format_bytes(static_cast<double>(*room_bytes)),
      base::format_bytes(static_cast<double>(worst_walk_bytes(rss_bytes))));
}

std::optional<std::string> reason_against_snapshot(const procfs::Roots& roots, std::int32_t pid) {
  auto cgroup = procfs::CgroupMemory::open(roots, pid);
  auto process = procfs::ProcessFiles::open(roots, pid);
  if (!cgroup || !process) return std::nullopt;
  const auto limits = cgroup.value().read_limits();
  const auto reading = cgroup.value().read();
  const auto status = process.value().read_status();
  if (!limits || !reading || !status || !limits.value().kills_together) return std::nullopt;
  const std::uint64_t cache_bytes =
      reading.value().file_bytes - std::min(reading.value().file_bytes, reading.value().shmem_bytes);
  return reason_against_snapshot(*limits.value().headroom_bytes + cache_bytes, status.value().rss_bytes);
}

}  // namespace lowtide::watch
