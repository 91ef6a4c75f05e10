// The memory of this machine and the limit at which a job is killed.

#include <fmt/format.h>

#include "base/units.h"
#include "doctor/machine_check.h"
#include "procfs/cgroup.h"
#include "procfs/meminfo.h"
#include "procfs/pressure.h"
#include "procfs/shm.h"

namespace lowtide::doctor {
namespace {

// Docker's default is 64 MiB, which a few DataLoader workers fill.
constexpr std::uint64_t kLittleShmBytes = 128U << 20U;

std::string bytes_text(std::uint64_t bytes) {
  return base::format_bytes(static_cast<double>(bytes));
}

MachineCheck memory_check(const Surroundings& where) {
  MachineCheck check{.name = "memory"};
  const auto meminfo = procfs::read_meminfo(where.roots);
  if (meminfo) {
    check.value = fmt::format("{}, {} available", bytes_text(meminfo.value().total_bytes),
                              bytes_text(meminfo.value().available_bytes));
    return check;
  }
  check.state = CheckState::Limited;
  check.value = "unknown";
  check.why = meminfo.error().message + "; without a cgroup limit there is no forecast";
  check.hint = "lowtide run --limit 32G -- COMMAND";
  return check;
}

std::string limit_place(const procfs::CgroupMemory& cgroup, std::size_t level) {
  const std::string path = cgroup.path(level);
  return path.empty() ? "set outside of this container" : "set at " + path;
}

MachineCheck cgroup_check(const Surroundings& where) {
  MachineCheck check{.name = "cgroup"};
  auto cgroup = procfs::CgroupMemory::open(where.roots, where.own_pid);
  auto limits = cgroup ? cgroup.value().read_limits() : base::Result<procfs::CgroupLimits>(cgroup.error());
  if (!limits) {
    check.state = CheckState::Limited;
    check.value = "no cgroup with memory accounting";
    check.why = limits.error().message +
                "; lowtide uses the memory of the host as the limit and does not count OOM kills";
    check.hint = "systemd-run --user --scope -p MemoryMax=32G lowtide run -- COMMAND";
    return check;
  }
  const std::string version = fmt::format("v{}", cgroup.value().version());
  if (!limits.value().max) {
    check.value = version + ", no limit";
    check.why =
        cgroup.value().sees_whole_hierarchy()
            ? "the memory of the host is the limit"
            : "the memory of the host is the limit, unless a lower limit is set outside of this container";
    return check;
  }
  const procfs::CgroupLimit& limit = *limits.value().max;
  check.value = fmt::format("{}, limit {} {}, {} in use", version, bytes_text(limit.bytes),
                            limit_place(cgroup.value(), limit.level), bytes_text(limit.current_bytes));
  check.why = "the kernel kills a job that needs more";
  return check;
}

MachineCheck pressure_check(const Surroundings& where) {
  MachineCheck check{.name = "pressure"};
  const auto pressure = procfs::read_pressure(where.roots);
  if (pressure && pressure.value()) {
    check.value = fmt::format("{:.1f}% of the last 10 s", pressure.value()->some.avg10_percent);
    return check;
  }
  check.state = CheckState::Limited;
  check.value = "not available";
  check.why = (pressure ? std::string("the kernel has no PSI, or it is off") : pressure.error().message) +
              "; lowtide cannot read how long a job waits for memory";
  check.hint = "add psi=1 to the kernel command line";
  return check;
}

MachineCheck shm_check(const Surroundings& where) {
  MachineCheck check{.name = "/dev/shm"};
  const auto shm = procfs::read_shared_memory(where.roots);
  if (!shm) {
    check.state = CheckState::Missing;
    check.value = "not mounted";
    check.why = shm.error().message + "; DataLoader workers pass batches through it";
    check.hint = privileged("mount -t tmpfs tmpfs /dev/shm", where);
    return check;
  }
  check.value =
      fmt::format("{}, {} in use", bytes_text(shm.value().total_bytes), bytes_text(shm.value().used_bytes));
  if (shm.value().total_bytes >= kLittleShmBytes) return check;
  check.state = CheckState::Limited;
  check.why = "DataLoader workers pass batches through it and die of SIGBUS when it is full";
  check.hint = "docker run --shm-size 8g, or --ipc host";
  return check;
}

}  // namespace

void check_memory(const Surroundings& where, std::vector<MachineCheck>& checks) {
  checks.push_back(memory_check(where));
  checks.push_back(cgroup_check(where));
  checks.push_back(pressure_check(where));
  checks.push_back(shm_check(where));
}

}  // namespace lowtide::doctor
