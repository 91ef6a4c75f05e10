// What else watching uses: the GPU's driver, Python, the disk, descriptors, SQLite.

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
// Files kept open: a few per process that is watched, and a few of our own.
constexpr rlim_t kEnoughDescriptors = 1024;
constexpr rlim_t kDescriptorsPerProcess = 3;

MachineCheck gpu_check(const Surroundings& where) {
  MachineCheck check{.name = "gpu"};
  const auto nvml = gpu::Nvml::load(where.gpu_library);
  if (!nvml) {
    check.state = CheckState::Missing;
    check.value = "none seen";
    check.why = nvml.error().message + "; memory on GPUs is not watched";
    check.hint = "nothing, where there is no NVIDIA GPU; in a container: docker run --gpus all";
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
  std::string words = install.path;
  words += install.version.empty() ? " (version unknown: a script?)" : " " + install.version;
  if (!install.version.empty() && !wire::knows_python(install.version)) {
    words += fmt::format(" (its lines and variables cannot be named: known are {})", wire::known_pythons());
  }
  if (!install.frameworks.empty()) words += fmt::format(" with {}", fmt::join(install.frameworks, " and "));
  return words;
}

MachineCheck python_check(const Surroundings& where) {
  MachineCheck check{.name = "python"};
  const std::vector<PythonInstall> installs = find_pythons(where.search_path);
  if (installs.empty()) {
    check.state = CheckState::Missing;
    check.value = "no python3 in PATH";
    check.why = "jobs in any language are watched all the same";
    check.hint = "activate the environment of your job, then lowtide doctor again";
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
    check.value = fmt::format("here, {} free", free);
    return check;
  }
  check.hint = "lowtide run --output FILE -- COMMAND, with a file in a folder that has room";
  if (wanted.writable) {
    check.state = CheckState::Limited;
    check.value = fmt::format("here, only {} free", free);
    check.why = "a recording grows to 64 MB; what does not fit is lost, and the job goes on";
    return check;
  }
  const bool elsewhere = look_at(where.fallback_folder).writable;
  check.state = elsewhere ? CheckState::Limited : CheckState::Missing;
  check.value = "this folder cannot be written to";
  check.why =
      elsewhere ? fmt::format("the recording goes to {}", where.fallback_folder)
                : fmt::format("neither can {}; a job is watched, and nothing is kept", where.fallback_folder);
  return check;
}

MachineCheck descriptors_check() {
  MachineCheck check{.name = "descriptors"};
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 0;
  check.value = limit.rlim_cur == RLIM_INFINITY ? std::string("no limit") : fmt::format("{}", limit.rlim_cur);
  if (limit.rlim_cur >= kEnoughDescriptors) return check;
  check.state = CheckState::Limited;
  check.why = fmt::format("beyond some {} processes each reading opens its files anew, which costs more",
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
