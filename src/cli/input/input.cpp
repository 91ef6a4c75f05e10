#include "cli/input/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/syntax/nearest.h"

namespace lowtide::cli {
namespace {

namespace fs = std::filesystem;

std::string user_name(uid_t uid) {
  const passwd* entry = ::getpwuid(uid);
  return entry == nullptr ? fmt::format("user {}", uid) : std::string(entry->pw_name);
}

std::string quoted_for_shell(const std::string& path) {
  if (path.find_first_of(" \t'\"$\\*?()&;|<>") == std::string::npos) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

constexpr std::string_view kRecordingSuffix = ".lowtide";
constexpr const char* kCheckPath = "check the path and the current folder";

std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t kMostNames = 10'000;  // a hint is not worth reading a million names
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < kMostNames;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

// The names of recordings share a long suffix, which would make any two of them similar.
std::optional<std::string> find_nearest_recording(std::string name, const fs::path& folder) {
  if (name.ends_with(kRecordingSuffix)) name.resize(name.size() - kRecordingSuffix.size());
  std::vector<std::string> stems;
  for (std::string& candidate : names_in(folder)) {
    if (!candidate.ends_with(kRecordingSuffix)) continue;
    candidate.resize(candidate.size() - kRecordingSuffix.size());
    stems.push_back(std::move(candidate));
  }
  const auto nearest = find_nearest(name, stems);
  return nearest ? std::optional(*nearest + std::string(kRecordingSuffix)) : std::nullopt;
}

console::UserError missing(const std::string& path, InputKind kind) {
  const fs::path folder = folder_of(path);
  const std::string name = fs::path(path).filename().string();
  const std::string what = fmt::format("cannot read {}: no such file", path);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return {what, fmt::format("the folder {} does not exist", folder.string()), kCheckPath};
  }
  const std::string why =
      fmt::format("no file of this name is in {}", fs::absolute(folder, error).lexically_normal().string());
  const bool is_log = kind == InputKind::Log;
  const auto nearest = is_log ? find_nearest(name, names_in(folder)) : find_nearest_recording(name, folder);
  if (!nearest) return {what, why, kCheckPath};
  const std::string candidate = (fs::path(path).parent_path() / *nearest).string();
  // Several commands read recordings, so none is named.
  return {what, why,
          is_log ? fmt::format("lowtide analyze {}", quoted_for_shell(candidate))
                 : fmt::format("{}, if you meant that recording", quoted_for_shell(candidate))};
}

std::string hint_for_denied(const std::string& path, InputKind kind) {
  const std::string quoted = quoted_for_shell(path);
  if (::geteuid() == 0) return fmt::format("ls -l {}; the file system refuses it even to root", quoted);
  if (kind == InputKind::Log) return fmt::format("sudo cat {} | lowtide analyze -", quoted);
  return fmt::format("sudo chmod a+r {}, or run lowtide as root", quoted);
}

console::UserError denied(const std::string& path, InputKind kind) {
  struct stat status {};
  std::string why = fmt::format("{} may not enter a folder of this path", user_name(::geteuid()));
  if (::stat(path.c_str(), &status) == 0) {
    why = fmt::format("it belongs to {} with mode {:04o}; you are {}", user_name(status.st_uid),
                      status.st_mode & 07777U, user_name(::geteuid()));
  }
  return {fmt::format("cannot read {}: permission denied", path), why, hint_for_denied(path, kind)};
}

console::UserError is_folder(const std::string& path, InputKind kind) {
  const std::string what = fmt::format("cannot read {}: it is a folder", path);
  const std::string prefix = path.back() == '/' ? path : path + "/";
  if (kind == InputKind::Recording) {
    return {what, "a recording is one file",
            fmt::format("ls {}*{} lists the recordings in it", quoted_for_shell(prefix), kRecordingSuffix)};
  }
  std::string hint = fmt::format("lowtide analyze {}*", quoted_for_shell(prefix));
  for (const std::string& name : names_in(path)) {
    const std::string extension = fs::path(name).extension().string();
    if (extension == ".log" || extension == ".txt" || extension == ".csv") {
      hint = fmt::format("lowtide analyze {}*{}", quoted_for_shell(prefix), extension);
      break;
    }
  }
  return {what, "analyze reads files and does not search folders", hint};
}

}  // namespace

Input::~Input() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::variant<Input, console::UserError> open_input(const std::string& path, InputKind kind) {
  if (path == "-") return Input(STDIN_FILENO, false);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return missing(path, kind);
    if (error == EACCES || error == EPERM) return denied(path, kind);
    return console::UserError{fmt::format("cannot read {}: {}", path, std::strerror(error)),
                              "the system refused to open it",
                              fmt::format("ls -l {}", quoted_for_shell(path))};
  }
  Input input(fd, true);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) return is_folder(path, kind);
  return input;
}

console::UserError nothing_in(const std::string& path) {
  return {fmt::format("cannot read {}: it is empty", input_name(path)), "it contains no data",
          "if the job runs, Python may still buffer its output: start it with PYTHONUNBUFFERED=1"};
}

}  // namespace lowtide::cli
