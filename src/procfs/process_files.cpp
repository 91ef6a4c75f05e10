#include "procfs/process_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "procfs/kernel_clock.h"

namespace lowtide::procfs {
namespace {

// Descriptors that are left for the rest of the program: the recording, the
// job's own files, and what is opened for the length of one read.
constexpr rlim_t kReservedFiles = 64;

// What is opened for the length of one read is there at the same time: a folder, a file in it, a list.
bool are_some_left(const base::Fd& fd) {
  std::array<base::Fd, 4> more;
  return std::all_of(more.begin(), more.end(), [&](base::Fd& each) {
    each = base::Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
    return each.valid();
  });
}

// The kernel gives the lowest free number, so the number shows how many are in use, or were.
bool may_keep(const base::Fd& fd) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return true;
  }
  const rlim_t reserved = std::min(kReservedFiles, limit.rlim_cur / 4);
  return static_cast<rlim_t>(fd.get()) + reserved < limit.rlim_cur && are_some_left(fd);
}

base::Result<base::Fd> open_folder(const std::string& proc, std::int32_t pid) {
  std::array<char, 4096> path;  // NOLINT(cppcoreguidelines-pro-type-member-init): written on the next line
  const auto written = fmt::format_to_n(path.data(), path.size() - 1, "{}/{}", proc, pid);
  *written.out = '\0';
  base::Fd folder(::open(path.data(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) {
    return make_system_error(errno, fmt::format("process {}", pid));
  }
  return folder;
}

base::Result<Stat> read_stat_in(const base::Fd& folder) {
  auto fd = open_text(folder.get(), "stat");
  if (!fd) {
    return std::move(fd).error();
  }
  TextBuffer buffer;
  auto text = buffer.read(fd.value().get(), "stat");
  if (!text) {
    return std::move(text).error();
  }
  return parse_stat(text.value());
}

}  // namespace

base::Result<ProcessFiles> ProcessFiles::open(const Roots& roots, std::int32_t pid) {
  auto folder = open_folder(roots.proc, pid);
  if (!folder) {
    return std::move(folder).error();
  }
  auto stat = read_stat_in(folder.value());
  if (!stat) {
    return std::move(stat).error().within(fmt::format("process {}", pid));
  }
  ProcessFiles files(roots.proc, pid);
  files.start_ticks_ = stat.value().start_ticks;
  if (may_keep(folder.value())) {
    files.folder_ = std::move(folder).value();
  }
  return files;
}

std::size_t ProcessFiles::kept_files() const {
  std::size_t kept = 0;
  for (const base::Fd* fd : {&folder_, &stat_, &status_, &statm_}) {
    kept += fd->valid() ? 1U : 0U;
  }
  return kept;
}

void ProcessFiles::close_files() {
  for (base::Fd* fd : {&folder_, &stat_, &status_, &statm_}) {
    fd->reset();
  }
}

base::Result<base::Fd> ProcessFiles::open_file(const char* name) {
  if (folder_.valid()) {
    return open_text(folder_.get(), name);
  }
  auto folder = open_folder(proc_, pid_);
  if (!folder) {
    return std::move(folder).error();
  }
  // The number may have gone to another process since.
  auto stat = read_stat_in(folder.value());
  if (!stat) {
    return std::move(stat).error();
  }
  if (stat.value().start_ticks != start_ticks_) {
    return base::Error{base::ErrorCode::Gone, "its pid belongs to another process now"};
  }
  return open_text(folder.value().get(), name);
}

base::Result<base::Fd> ProcessFiles::open_or_make_room(const char* name) {
  auto fd = open_file(name);
  // Io: no descriptor is left, neither of this process nor of the machine.
  if (fd || fd.error().code != base::ErrorCode::Io || kept_files() == 0) {
    return fd;
  }
  close_files();
  return open_file(name);
}

base::Result<std::string_view> ProcessFiles::read_kept(base::Fd& kept, const char* name, TextBuffer& buffer) {
  if (kept.valid()) {
    auto text = buffer.read(kept.get(), name);
    return text ? std::move(text) : std::move(text).error().within(fmt::format("process {}", pid_));
  }
  auto fd = open_or_make_room(name);
  if (!fd) {
    return std::move(fd).error().within(fmt::format("process {}", pid_));
  }
  auto text = buffer.read(fd.value().get(), name);
  if (!text) {
    return std::move(text).error().within(fmt::format("process {}", pid_));
  }
  if (folder_.valid() && may_keep(fd.value())) {
    kept = std::move(fd).value();
  }
  return text;
}

base::Result<Stat> ProcessFiles::read_stat() {
  TextBuffer buffer;
  auto text = read_kept(stat_, "stat", buffer);
  return text ? parse_stat(text.value()) : std::move(text).error();
}

base::Result<Status> ProcessFiles::read_status() {
  TextBuffer buffer;
  auto text = read_kept(status_, "status", buffer);
  return text ? parse_status(text.value()) : std::move(text).error();
}

base::Result<Statm> ProcessFiles::read_statm() {
  TextBuffer buffer;
  auto text = read_kept(statm_, "statm", buffer);
  return text ? parse_statm(text.value(), page_bytes()) : std::move(text).error();
}

base::Result<Stat> read_stat(const Roots& roots, std::int32_t pid) {
  std::array<char, 4096> path;  // NOLINT(cppcoreguidelines-pro-type-member-init): written on the next line
  const auto written = fmt::format_to_n(path.data(), path.size() - 1, "{}/{}/stat", roots.proc, pid);
  *written.out = '\0';
  auto fd = open_text(AT_FDCWD, path.data());
  if (!fd) {
    return std::move(fd).error();
  }
  TextBuffer buffer;
  auto text = buffer.read(fd.value().get(), "stat");
  return text ? parse_stat(text.value()) : std::move(text).error();
}

base::Result<SmapsRollup> ProcessFiles::read_smaps_rollup() {
  TextBuffer buffer;
  auto fd = open_or_make_room("smaps_rollup");
  if (!fd) {
    return std::move(fd).error().within(fmt::format("process {}", pid_));
  }
  auto text = buffer.read(fd.value().get(), "smaps_rollup");
  if (!text) {
    return std::move(text).error().within(fmt::format("process {}", pid_));
  }
  if (text.value().empty()) {
    return base::Error{base::ErrorCode::Gone, fmt::format("process {}: it has no memory", pid_)};
  }
  return parse_smaps_rollup(text.value());
}

}  // namespace lowtide::procfs
