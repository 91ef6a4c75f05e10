#include "gpu/pid_map.h"

#include <algorithm>
#include <tuple>

namespace lowtide::gpu {

PidMap::PidMap(std::span<const KnownProcess> known, bool in_initial_namespace)
    : initial_(in_initial_namespace) {
  for (const KnownProcess& process : known) {
    any_gpu_user_ = any_gpu_user_ || process.uses_gpu;
    if (!initial_ && !process.uses_gpu) {
      continue;
    }
    entries_.push_back({.driver_pid = process.pid, .pid = process.pid, .depth = 0});
    for (std::size_t depth = 0; depth < process.namespace_pids.size() && !initial_; ++depth) {
      if (process.namespace_pids[depth] != process.pid) {
        entries_.push_back({.driver_pid = process.namespace_pids[depth], .pid = process.pid, .depth = depth});
      }
    }
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.driver_pid, a.depth, a.pid) < std::tie(b.driver_pid, b.depth, b.pid);
  });
}

GpuOwner PidMap::find(std::int64_t driver_pid) const {
  const auto first =
      std::lower_bound(entries_.begin(), entries_.end(), driver_pid,
                       [](const Entry& entry, std::int64_t wanted) { return entry.driver_pid < wanted; });
  if (first == entries_.end() || first->driver_pid != driver_pid) {
    // Inside a container it may be any process of the job that uses a GPU.
    return {.pid = std::nullopt, .unclear = !initial_ && any_gpu_user_};
  }
  // Two containers below us may both have a process of that number.
  const auto next = std::next(first);
  if (next != entries_.end() && next->driver_pid == driver_pid && next->pid != first->pid) {
    return {.pid = std::nullopt, .unclear = true};
  }
  return {.pid = first->pid, .unclear = false};
}

bool is_initial_pid_namespace(std::string_view link) {
  return link == "pid:[4026531836]";  // PROC_PID_INIT_INO, fixed since Linux 3.8
}

}  // namespace lowtide::gpu
