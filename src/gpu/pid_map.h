// Whose GPU memory is it?
//
// The driver names processes by the pids of the host (older drivers) or of the
// pid namespace that asks (newer ones); nothing says which. /proc names them by
// the pids of the namespace it was mounted in, and lists in NSpid those of the
// namespaces further in. Looking from the host all of it agrees. Looking from
// inside a container a host pid may happen to be the number of an innocent
// process of the job, so there a match counts only for a process that has opened
// the driver. What is unknown is reported as unclear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lowtide::gpu {

// A process we know.
struct KnownProcess {
  std::int64_t pid = 0;                          // ours
  std::span<const std::int64_t> namespace_pids;  // its NSpid line, `pid` first; may be empty
  bool uses_gpu = false;                         // it has opened the driver
};

struct GpuOwner {
  std::optional<std::int64_t> pid;  // ours
  bool unclear = false;             // no pid, and it may still be a process of the job
};

class PidMap {
 public:
  // `in_initial_namespace`: whether our own pid namespace is the machine's
  // first, see is_initial_pid_namespace. Copies what it needs.
  PidMap(std::span<const KnownProcess> known, bool in_initial_namespace);

  // The process that the driver calls `driver_pid`.
  [[nodiscard]] GpuOwner find(std::int64_t driver_pid) const;

 private:
  struct Entry {
    std::int64_t driver_pid = 0;
    std::int64_t pid = 0;
    std::size_t depth = 0;
  };
  std::vector<Entry> entries_;  // by driver_pid, then depth
  bool initial_ = false;
  bool any_gpu_user_ = false;
};

// From the target of /proc/self/ns/pid, "pid:[4026531836]": the kernel gives
// the first namespace a fixed number.
bool is_initial_pid_namespace(std::string_view link);

}  // namespace lowtide::gpu
