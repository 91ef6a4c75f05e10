#include "procfs/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

constexpr std::size_t kMostLevels = 64;

struct FileNames {
  const char* current;
  const char* max;
  const char* high;
  const char* oom_group;
  const char* events;
  const char* kernel;
  const char* only_root;  // a file that only the hierarchy's root has, or lacks
};

constexpr FileNames kFilesV1{"memory.usage_in_bytes", "memory.limit_in_bytes",      nullptr,        nullptr,
                             "memory.oom_control",    "memory.kmem.usage_in_bytes", "release_agent"};
constexpr FileNames kFilesV2{"memory.current", "memory.max", "memory.high", "memory.oom.group",
                             "memory.events",  nullptr,      "cgroup.type"};

const FileNames& files_of(int version) {
  return version == 1 ? kFilesV1 : kFilesV2;
}

base::Fd open_in(const std::string& folder, const char* name) {
  return name == nullptr ? base::Fd()
                         : base::Fd(::open((folder + "/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

bool is_root_folder(const std::string& folder, int version) {
  const bool there = ::access((folder + "/" + files_of(version).only_root).c_str(), F_OK) == 0;
  return version == 1 ? there : !there;
}

base::Result<std::uint64_t> read_bytes(const base::Fd& file, const char* name) {
  TextBuffer buffer;
  auto text = buffer.read(file.get(), name);
  if (!text) {
    return std::move(text).error();
  }
  std::uint64_t bytes = 0;
  if (!take_number(text.value(), bytes)) {
    return base::Error{base::ErrorCode::Malformed, std::string(name) + " is not a number"};
  }
  return bytes;
}

bool is_set(const base::Fd& file) {
  if (!file.valid()) return false;
  const auto value = read_bytes(file, "flag");
  return value && value.value() == 1;
}

}  // namespace

base::Result<CgroupMemory> CgroupMemory::open(const Roots& roots, std::int32_t pid) {
  auto folder = find_memory_cgroup(roots, pid);
  if (!folder) {
    return std::move(folder).error();
  }
  CgroupMemory memory(std::move(folder).value());
  std::string path = memory.folder_.path;
  for (std::size_t depth = 0; depth < kMostLevels; ++depth) {
    memory.open_level(path);
    if (path.empty()) {
      break;
    }
    path.resize(path.rfind('/'));
  }
  memory.sees_root_ = is_root_folder(memory.folder_.top, memory.version());
  if (memory.levels_.empty()) {
    return base::Error{base::ErrorCode::Unsupported,
                       memory.sees_root_
                           ? "the process is in a cgroup without limits: no cgroup up to the root "
                             "counts memory"
                           : "the memory controller is not enabled for the cgroup " + memory.folder_.path};
  }
  memory.open_counters();
  return memory;
}

// A folder without the files is passed over: v2 has them only where the parent
// enables the controller, and never in the root.
void CgroupMemory::open_level(const std::string& path) {
  const std::string folder = folder_.top + path;
  const FileNames& files = files_of(version());
  Level level{path.empty() ? "/" : path, open_in(folder, files.current), open_in(folder, files.max),
              open_in(folder, files.high), open_in(folder, files.oom_group)};
  if (level.current.valid()) {
    levels_.push_back(std::move(level));
  }
}

void CgroupMemory::open_counters() {
  const std::string& path = levels_.front().path;
  const std::string folder = folder_.top + (path == "/" ? "" : path);
  const FileNames& files = files_of(version());
  stat_ = open_in(folder, "memory.stat");
  events_ = open_in(folder, files.events);
  kernel_ = open_in(folder, files.kernel);
}

std::string CgroupMemory::path(std::size_t level) const {
  return level < levels_.size() ? levels_[level].path : std::string();
}

base::Result<CgroupStat> CgroupMemory::read_stat() {
  TextBuffer buffer;
  auto text = buffer.read(stat_.get(), "memory.stat");
  if (!text) {
    return std::move(text).error();
  }
  return parse_cgroup_stat(text.value(), version());
}

base::Result<CgroupReading> CgroupMemory::read() {
  auto current = read_bytes(levels_.front().current, files_of(version()).current);
  if (!current) {
    return std::move(current).error();
  }
  auto stat = read_stat();
  if (!stat) {
    return std::move(stat).error();
  }
  CgroupReading reading{.current_bytes = current.value(),
                        .anon_bytes = stat.value().anon_bytes,
                        .file_bytes = stat.value().file_bytes,
                        .shmem_bytes = stat.value().shmem_bytes,
                        .inactive_file_bytes = stat.value().inactive_file_bytes,
                        .kernel_bytes = stat.value().kernel_bytes,
                        .oom_events = std::nullopt,
                        .oom_kill_events = std::nullopt};
  if (events_.valid()) {
    TextBuffer buffer;
    const auto text = buffer.read(events_.get(), files_of(version()).events);
    const CgroupEvents events = text ? parse_cgroup_events(text.value()) : CgroupEvents{};
    reading.oom_events = events.oom;
    reading.oom_kill_events = events.oom_kill;
  }
  if (kernel_.valid()) {
    const auto bytes = read_bytes(kernel_, files_of(version()).kernel);
    reading.kernel_bytes = bytes ? std::optional(bytes.value()) : std::nullopt;
  }
  return reading;
}

bool CgroupMemory::note_limit(std::size_t level, const base::Fd& file, std::uint64_t current_bytes,
                              std::optional<CgroupLimit>& tightest,
                              std::optional<std::uint64_t>& headroom_bytes) const {
  TextBuffer buffer;
  const auto text = file.valid() ? buffer.read(file.get(), "limit")
                                 : base::Result<std::string_view>(std::string_view("max"));
  const auto limit = text ? parse_cgroup_limit(text.value())
                          : base::Result<std::optional<std::uint64_t>>(std::optional<std::uint64_t>());
  if (!limit || !limit.value()) {
    return false;
  }
  const std::uint64_t bytes = *limit.value();
  if (!tightest || bytes < tightest->bytes) {
    tightest = CgroupLimit{.bytes = bytes, .current_bytes = current_bytes, .level = level};
  }
  const std::uint64_t left_bytes = bytes > current_bytes ? bytes - current_bytes : 0;
  headroom_bytes = std::min(headroom_bytes.value_or(left_bytes), left_bytes);
  return true;
}

base::Result<CgroupLimits> CgroupMemory::read_limits() {
  CgroupLimits limits;
  std::optional<std::uint64_t> below_high_bytes;  // not told: nothing is killed there
  std::uint64_t own_bytes = 0;
  bool is_group = false;  // at this level or below
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Level& at = levels_[level];
    auto current = read_bytes(at.current, files_of(version()).current);
    if (!current) {
      return std::move(current).error();
    }
    own_bytes = level == 0 ? current.value() : own_bytes;
    is_group = is_group || is_set(at.oom_group);
    const bool has_limit = note_limit(level, at.max, current.value(), limits.max, limits.headroom_bytes);
    limits.kills_together = limits.kills_together || (has_limit && is_group);
    note_limit(level, at.high, current.value(), limits.high, below_high_bytes);
  }
  if (version() == 1) {
    // In a container the cgroups above are hidden, but v1 shows what they leave.
    const auto stat = read_stat();
    const auto above = stat ? stat.value().hierarchical_limit_bytes : std::nullopt;
    if (above && (!limits.max || *above < limits.max->bytes)) {
      limits.max = CgroupLimit{.bytes = *above, .current_bytes = own_bytes, .level = levels_.size()};
      const std::uint64_t left_bytes = *above > own_bytes ? *above - own_bytes : 0;
      limits.headroom_bytes = std::min(limits.headroom_bytes.value_or(left_bytes), left_bytes);
    }
  }
  return limits;
}

}  // namespace lowtide::procfs
