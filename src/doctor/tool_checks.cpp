// Other things that lowtide uses: the GPU driver, Python, the disk, file descriptors, SQLite.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/units.h"
#include "doctor/machine_check.h"
#include "doctor/python_installs.h"
#include "gpu/nvml.h"
#include "record/sqlite.h"
#include "wire/python_names.h"

namespace lowtide::doctor {
namespace {

// A week with 50 processes stays under 64 MB (docs/recording.md).
constexpr std::uint64_t kEnoughDiskBytes = 100'000'000;
// A few open files per watched process, and a few for lowtide itself.
constexpr rlim_t kEnoughDescriptors = 1024;
constexpr rlim_t kDescriptorsPerProcess = 3;

MachineCheck gpu_check(const Surroundings& where) {
  MachineCheck check{.name = "gpu"};
  const auto nvml = gpu::Nvml::load(where.gpu_library);
  if (!nvml) {
    check.state = CheckState::Missing;
    check.value = "not available";
    check.why = nvml.error().message + "; GPU memory is not watched";
    check.hint = "nothing if the machine has no NVIDIA GPU; in a container: docker run --gpus all";
    return check;
  }
  const auto devices = nvml.value().devices();
  check.value = fmt::format("{} device{}", devices.size(), devices.size() == 1 ? "" : "s");
  std::string before;
  for (const gpu::Device& device : devices) {
    if (device.name == before) continue;
    check.value += (before.empty() ? ": " : ", ") + device.name;
    before = device.name;
  }
  if (!nvml.value().driver_version().empty())
    check.value += " (driver " + nvml.value().driver_version() + ")";
  return check;
}

std::string describe_python(const PythonInstall& install) {
  std::string text = install.path;
  text += install.version.empty() ? " (version unknown; it may be a script)" : " " + install.version;
  if (!install.version.empty() && !wire::knows_python(install.version)) {
    text += fmt::format(" (no Python lines and variables in reports: lowtide supports {})",
                        wire::known_pythons());
  }
  if (!install.frameworks.empty()) text += fmt::format(" with {}", fmt::join(install.frameworks, " and "));
  return text;
}

MachineCheck python_check(const Surroundings& where) {
  MachineCheck check{.name = "python"};
  const std::vector<PythonInstall> installs = find_pythons(where.search_path);
  if (installs.empty()) {
    check.state = CheckState::Missing;
    check.value = "no python3 in PATH";
    check.why = "lowtide can still watch jobs in any language";
    check.hint = "activate the environment of your job, then run lowtide doctor again";
    return check;
  }
  for (const PythonInstall& install : installs) {
    check.value += (check.value.empty() ? "" : "; ") + describe_python(install);
  }
  return check;
}

struct Folder {
  bool writable = false;
  std::uint64_t free_bytes = 0;
};

Folder look_at(const std::string& path) {
  struct statvfs disk {};
  Folder folder;
  folder.writable = ::eaccess(path.c_str(), W_OK | X_OK) == 0;
  if (::statvfs(path.c_str(), &disk) == 0) folder.free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return folder;
}

MachineCheck disk_check(const Surroundings& where) {
  MachineCheck check{.name = "recordings"};
  const Folder wanted = look_at(where.recording_folder);
  const std::string free = base::format_bytes(static_cast<double>(wanted.free_bytes));
  if (wanted.writable && wanted.free_bytes >= kEnoughDiskBytes) {
    check.value = fmt::format("current folder, {} free", free);
    return check;
  }
  check.hint = "lowtide run --output FILE -- COMMAND, with FILE on a disk that has room";
  if (wanted.writable) {
    check.state = CheckState::Limited;
    check.value = fmt::format("current folder, only {} free", free);
    check.why = "a recording needs up to 64 MB; readings that do not fit are lost, the job is not affected";
    return check;
  }
  const bool elsewhere = look_at(where.fallback_folder).writable;
  check.state = elsewhere ? CheckState::Limited : CheckState::Missing;
  check.value = "the current folder is not writable";
  check.why = elsewhere ? fmt::format("recordings go to {}", where.fallback_folder)
                        : fmt::format("{} is not writable either; jobs are watched but not recorded",
                                      where.fallback_folder);
  return check;
}

MachineCheck descriptors_check() {
  MachineCheck check{.name = "descriptors"};
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 0;
  check.value = limit.rlim_cur == RLIM_INFINITY ? std::string("no limit") : fmt::format("{}", limit.rlim_cur);
  if (limit.rlim_cur >= kEnoughDescriptors) return check;
  check.state = CheckState::Limited;
  check.why =
      fmt::format("with more than about {} processes, lowtide opens files for each reading, which costs more",
                  limit.rlim_cur / kDescriptorsPerProcess);
  check.hint = "ulimit -n 1024";
  return check;
}

MachineCheck sqlite_check() {
  return {.name = "sqlite", .value = sqlite3_libversion()};
}

}  // namespace

void check_tools(const Surroundings& where, std::vector<MachineCheck>& checks) {
  checks.push_back(gpu_check(where));
  checks.push_back(python_check(where));
  checks.push_back(disk_check(where));
  checks.push_back(descriptors_check());
  checks.push_back(sqlite_check());
}

}  // namespace lowtide::doctor
