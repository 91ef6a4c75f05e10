#include "procfs/process_info.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <system_error>
#include <utility>

#include "procfs/scan.h"
#include "procfs/stat.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

constexpr std::size_t kMostArgumentBytes = 128U << 10U;
constexpr std::size_t kMostEnvironmentBytes = 4U << 20U;

std::string path_of(const Roots& roots, std::int32_t pid, std::string_view name) {
  return roots.proc + "/" + std::to_string(pid) + "/" + std::string(name);
}

base::Result<std::string> read_link(const std::string& path) {
  std::array<char, PATH_MAX + 1> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) {
    return make_system_error(errno, path);
  }
  return std::string(target.data(), static_cast<std::size_t>(length));
}

std::string without_deleted_mark(std::string path) {
  if (path.ends_with(kDeletedMark)) {
    path.resize(path.size() - kDeletedMark.size());
  }
  return path;
}

}  // namespace

base::Result<std::vector<std::string>> read_arguments(const Roots& roots, std::int32_t pid) {
  auto text = read_text(path_of(roots, pid, "cmdline"), kMostArgumentBytes);
  if (!text) {
    return std::move(text).error();
  }
  std::vector<std::string> arguments;
  std::string_view rest = text.value();
  // A program that writes its own title leaves a tail of NULs; one NUL ends
  // each argument, so an empty argument at the very end is lost with them.
  while (!rest.empty() && rest.back() == '\0') {
    rest.remove_suffix(1);
  }
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return arguments;
}

base::Result<std::string> read_command_line(const Roots& roots, std::int32_t pid) {
  auto arguments = read_arguments(roots, pid);
  if (!arguments) {
    return std::move(arguments).error();
  }
  std::string line;
  for (const std::string& argument : arguments.value()) {
    line += line.empty() ? "" : " ";
    line += argument;
  }
  if (!line.empty()) {
    return line;
  }
  auto text = read_text(path_of(roots, pid, "stat"));
  if (!text) {
    return std::move(text).error();
  }
  auto stat = parse_stat(text.value());
  if (!stat) {
    return std::move(stat).error();
  }
  return "[" + std::string(stat.value().comm()) + "]";
}

base::Result<std::optional<std::string>> read_environment_value(const Roots& roots, std::int32_t pid,
                                                                std::string_view key) {
  auto text = read_text(path_of(roots, pid, "environ"), kMostEnvironmentBytes);
  if (!text) {
    return std::move(text).error();
  }
  std::string_view rest = text.value();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    const auto pair = split_key(rest.substr(0, end), '=');
    if (pair && pair->key == key) {
      return std::optional(std::string(pair->value));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return std::optional<std::string>();
}

base::Result<std::string> read_exe(const Roots& roots, std::int32_t pid) {
  auto path = read_link(path_of(roots, pid, "exe"));
  return path ? without_deleted_mark(std::move(path).value()) : std::move(path);
}

base::Result<std::string> read_own_pid_namespace(const Roots& roots) {
  return read_link(roots.proc + "/self/ns/pid");
}

base::Result<FdInfo> parse_fdinfo(std::string_view text) {
  FdInfo info;
  bool has_offset = false;
  while (!text.empty()) {
    auto pair = split_key(take_line(text));
    if (pair && pair->key == "pos") {
      has_offset = take_number(pair->value, info.offset_bytes);
    } else if (pair && pair->key == "flags") {
      take_number(pair->value, info.open_flags, 8);
    }
  }
  if (!has_offset) {
    return base::Error{base::ErrorCode::Malformed, "fdinfo has no pos"};
  }
  return info;
}

base::Result<FdTarget> read_fd_target(const Roots& roots, std::int32_t pid, int fd) {
  const std::string link = path_of(roots, pid, "fd/" + std::to_string(fd));
  auto path = read_link(link);
  if (!path) {
    return std::move(path).error();
  }
  // Through the link, which also leads to files without a name and to files
  // that another mount namespace calls otherwise.
  struct stat found {};
  if (::stat(link.c_str(), &found) != 0) {
    return make_system_error(errno, link);
  }
  auto text = read_text(path_of(roots, pid, "fdinfo/" + std::to_string(fd)));
  auto info = text ? parse_fdinfo(text.value()) : base::Result<FdInfo>(FdInfo{});
  if (!info) {
    return std::move(info).error();
  }
  const bool regular = S_ISREG(found.st_mode);
  const bool deleted = regular && found.st_nlink == 0;
  return FdTarget{.path = deleted ? without_deleted_mark(std::move(path).value()) : std::move(path).value(),
                  .regular = regular,
                  .deleted = deleted,
                  .device = found.st_dev,
                  .inode = found.st_ino,
                  .size_bytes = regular ? static_cast<std::uint64_t>(found.st_size) : 0,
                  .offset_bytes = info.value().offset_bytes,
                  .open_flags = info.value().open_flags};
}

base::Result<bool> has_opened(const Roots& roots, std::int32_t pid, std::string_view path) {
  std::error_code failure;
  const std::string folder = path_of(roots, pid, "fd");
  std::filesystem::directory_iterator descriptors(folder, failure);
  for (; !failure && descriptors != std::filesystem::directory_iterator(); descriptors.increment(failure)) {
    const auto target = read_link(descriptors->path());
    if (target && target.value() == path) return true;
  }
  if (failure) return make_system_error(failure.value(), folder);
  return false;
}

}  // namespace lowtide::procfs
