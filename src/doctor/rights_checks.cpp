// What the kernel lets lowtide read: /proc, shared pages, ptrace, capabilities.

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "doctor/machine_check.h"
#include "procfs/pid_list.h"
#include "procfs/process_files.h"
#include "procfs/rights.h"
#include "procfs/text_file.h"

namespace lowtide::doctor {
namespace {

using base::ErrorCode;
using procfs::Rights;

// smaps_rollup came with Linux 4.14.
constexpr int kRollupMajor = 4;
constexpr int kRollupMinor = 14;

bool is_older(const std::string& kernel, int major, int minor) {
  int numbers[2] = {0, 0};
  const char* at = kernel.data();
  const char* end = kernel.data() + kernel.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return false;
    at = next == end ? end : next + 1;
  }
  return numbers[0] != major ? numbers[0] < major : numbers[1] < minor;
}

MachineCheck kernel_check(const Surroundings& where, const Rights& rights) {
  MachineCheck check{.name = "kernel"};
  if (!rights.kernel) {
    check.state = CheckState::Limited;
    check.value = "unknown";
    check.why = rights.kernel.error().message;
    check.hint = privileged("mount -t proc proc /proc", where);
    return check;
  }
  check.value = "Linux " + rights.kernel.value();
  if (is_older(rights.kernel.value(), kRollupMajor, kRollupMinor)) {
    check.state = CheckState::Limited;
    check.why = "it has no smaps_rollup, so shared memory is counted in each process";
    check.hint = "use Linux 4.14 or newer";
  }
  return check;
}

// The mount option hidepid of /proc, "" if it is not set.
std::string hidepid_of(const procfs::Roots& roots) {
  const auto text = procfs::read_text(roots.proc + "/self/mountinfo");
  if (!text) return {};
  const std::size_t at = text.value().find("hidepid=");
  if (at == std::string::npos) return {};
  return text.value().substr(at, text.value().find_first_of(", \n", at) - at);
}

MachineCheck proc_check(const Surroundings& where) {
  MachineCheck check{.name = kProcCheck};
  auto own = procfs::ProcessFiles::open(where.roots, where.own_pid);
  const auto status = own ? own.value().read_status() : base::Result<procfs::Status>(own.error());
  if (!status) {
    check.state = CheckState::Missing;
    check.value = "not readable";
    check.why = status.error().message + "; lowtide needs it to read any job";
    check.hint = privileged("mount -t proc proc /proc", where);
    return check;
  }
  procfs::PidList pids(where.roots);
  pids.refresh();
  std::size_t hidden = 0;
  for (const std::int32_t pid : pids.pids()) {
    auto files = procfs::ProcessFiles::open(where.roots, pid);
    if (!files) continue;
    const auto stat = files.value().read_stat();
    if (!stat && stat.error().code == ErrorCode::Denied) ++hidden;
  }
  const std::string option = hidepid_of(where.roots);
  check.value = fmt::format("{} processes readable", pids.pids().size() - hidden);
  const bool hides = hidden > 0 || (!option.empty() && option != "hidepid=0" && option != "hidepid=off");
  if (hides && where.own_uid != 0) {
    check.state = CheckState::Limited;
    check.why = fmt::format("/proc hides the processes of other users{}; your own jobs are not affected",
                            option.empty() ? "" : " (" + option + ")");
    check.hint =
        "to attach to jobs of other users, use sudo or join the group of the mount option gid= of /proc";
  }
  return check;
}

MachineCheck own_pss_check(const Surroundings& where) {
  MachineCheck check{.name = "shared pages"};
  auto own = procfs::ProcessFiles::open(where.roots, where.own_pid);
  const auto rollup = own ? own.value().read_smaps_rollup() : base::Result<procfs::SmapsRollup>(own.error());
  if (!rollup) {
    check.state = CheckState::Limited;
    check.value = "smaps_rollup is not readable";
    check.why = rollup.error().message + "; shared memory is counted in each process";
    check.hint = "use Linux 4.14 or newer; in a sandbox, make /proc/PID/smaps_rollup readable";
    return check;
  }
  check.value = "counted once (PSS)";
  if (!rollup.value().has_pss_split) {
    check.state = CheckState::Limited;
    check.why = "the kernel does not report PSS by kind, so mapped files are included";
    check.hint = "use Linux 5.1 or newer";
  }
  return check;
}

// A process of another user that has memory, for the check.
std::optional<procfs::ProcessFiles> find_foreign_process(const Surroundings& where) {
  procfs::PidList pids(where.roots);
  pids.refresh();
  for (const std::int32_t pid : pids.pids()) {
    auto files = procfs::ProcessFiles::open(where.roots, pid);
    if (!files) continue;
    const auto status = files.value().read_status();
    if (status && status.value().has_memory && status.value().uid != where.own_uid)
      return std::move(files).value();
  }
  return std::nullopt;
}

MachineCheck foreign_pss_check(const Surroundings& where, const Rights& rights) {
  MachineCheck check{.name = "jobs of others"};
  const bool may =
      rights.capabilities && procfs::has_capability(rights.capabilities.value(), procfs::kCapSysPtrace);
  auto other = find_foreign_process(where);
  if (!other) {
    check.value = may ? "readable (no process of another user runs)" : "no process of another user runs";
    return check;
  }
  if (other->read_smaps_rollup()) {
    check.value = fmt::format("readable, for example process {}", other->pid());
    return check;
  }
  check.state = CheckState::Limited;
  check.value = "only RSS is readable";
  check.why = fmt::format(
      "lowtide may not read PSS of process {}; for jobs of other users, shared memory is counted in each "
      "process "
      "and steps are not read from the output file",
      other->pid());
  check.hint = where.own_uid == 0 ? "grant CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE)"
                                  : "sudo lowtide attach PID, or run lowtide as the user of the job";
  return check;
}

MachineCheck ptrace_check(const Surroundings& where, const Rights& rights) {
  MachineCheck check{.name = "ptrace"};
  if (!rights.ptrace_scope) {
    const bool absent = rights.ptrace_scope.error().code == ErrorCode::Unsupported;
    check.state = absent ? CheckState::Ok : CheckState::Limited;
    check.value = absent ? "not restricted" : "unknown";
    check.why = rights.ptrace_scope.error().message;
    if (!absent) check.hint = privileged("sysctl kernel.yama.ptrace_scope", where);
    return check;
  }
  const int scope = rights.ptrace_scope.value();
  check.value = fmt::format("ptrace_scope {}", scope);
  const bool may =
      rights.capabilities && procfs::has_capability(rights.capabilities.value(), procfs::kCapSysPtrace);
  if (scope <= 0 || (scope < 3 && may)) return check;
  check.state = scope < 3 ? CheckState::Limited : CheckState::Missing;
  check.why = "attach --deep and snapshot need ptrace; run and attach do not";
  check.hint = scope < 3 ? "start the job with lowtide run, or: " +
                               privileged("sysctl kernel.yama.ptrace_scope=0", where)
                         : "start the job with lowtide run; 3 cannot be changed until the next boot";
  return check;
}

// Programs may read this check by its name (docs/json.md), so it stays, although lowtide uses no perf events.
MachineCheck perf_check(const Rights& rights) {
  return {.name = "perf events",
          .value = rights.perf_event_paranoid
                       ? fmt::format("perf_event_paranoid {}", rights.perf_event_paranoid.value())
                       : "not available",
          .why = "lowtide does not use them"};
}

MachineCheck capabilities_check(const Rights& rights) {
  MachineCheck check{.name = "capabilities"};
  if (!rights.capabilities) {
    check.state = CheckState::Limited;
    check.value = "unknown";
    check.why = rights.capabilities.error().message;
    check.hint = "grep CapEff /proc/self/status";
    return check;
  }
  for (const auto& [bit, name] :
       {std::pair(procfs::kCapSysPtrace, "CAP_SYS_PTRACE"), std::pair(procfs::kCapPerfmon, "CAP_PERFMON"),
        std::pair(procfs::kCapSysAdmin, "CAP_SYS_ADMIN")}) {
    if (!procfs::has_capability(rights.capabilities.value(), bit)) continue;
    check.value += check.value.empty() ? "" : ", ";
    check.value += name;
  }
  if (check.value.empty()) {
    check.value = "none";
    check.why = "your own jobs need none";
  }
  return check;
}

}  // namespace

void check_rights(const Surroundings& where, std::vector<MachineCheck>& checks) {
  const Rights rights = procfs::read_rights(where.roots);
  checks.push_back(kernel_check(where, rights));
  checks.push_back(proc_check(where));
  checks.push_back(own_pss_check(where));
  checks.push_back(foreign_pss_check(where, rights));
  checks.push_back(ptrace_check(where, rights));
  checks.push_back(perf_check(rights));
  checks.push_back(capabilities_check(rights));
}

}  // namespace lowtide::doctor
