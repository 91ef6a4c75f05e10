#include "cli/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/nearest.h"

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

std::vector<std::string> names_in(const fs::path& folder) {
  constexpr std::size_t kMostNames = 10'000;  // a hint is not worth reading a million of them
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < kMostNames;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

console::UserError missing(const std::string& path) {
  const fs::path folder = folder_of(path);
  const std::string name = fs::path(path).filename().string();
  const std::string what = fmt::format("cannot read {}: no such file", path);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return {what, fmt::format("there is no folder {}", folder.string()),
            "check the path, or the folder you are in"};
  }
  const std::string why =
      fmt::format("there is no {} in {}", name, fs::absolute(folder, error).lexically_normal().string());
  if (const auto nearest = find_nearest(name, names_in(folder))) {
    const fs::path candidate = fs::path(path).parent_path() / *nearest;
    return {what, why, fmt::format("lowtide analyze {}", quoted_for_shell(candidate.string()))};
  }
  return {what, why, "check the path, or the folder you are in"};
}

console::UserError denied(const std::string& path) {
  struct stat status {};
  std::string why = "a folder on the way to it may not be entered by " + user_name(::geteuid());
  if (::stat(path.c_str(), &status) == 0) {
    why = fmt::format("it belongs to {} with mode {:04o}, and you are {}", user_name(status.st_uid),
                      status.st_mode & 07777U, user_name(::geteuid()));
  }
  return {fmt::format("cannot read {}: permission denied", path), why,
          fmt::format("sudo cat {} | lowtide analyze -", quoted_for_shell(path))};
}

console::UserError is_folder(const std::string& path) {
  const std::string prefix = path.back() == '/' ? path : path + "/";
  std::string hint = fmt::format("lowtide analyze {}*", quoted_for_shell(prefix));
  for (const std::string& name : names_in(path)) {
    const std::string extension = fs::path(name).extension().string();
    if (extension == ".log" || extension == ".txt" || extension == ".csv") {
      hint = fmt::format("lowtide analyze {}*{}", quoted_for_shell(prefix), extension);
      break;
    }
  }
  return {fmt::format("cannot read {}: it is a folder", path),
          "analyze reads files, and does not look for them in folders", hint};
}

}  // namespace

Input::~Input() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::variant<Input, console::UserError> open_input(const std::string& path) {
  if (path == "-") return Input(STDIN_FILENO, false);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return missing(path);
    if (error == EACCES || error == EPERM) return denied(path);
    return console::UserError{fmt::format("cannot read {}: {}", path, std::strerror(error)),
                              "the system does not open it", fmt::format("ls -l {}", quoted_for_shell(path))};
  }
  Input input(fd, true);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) return is_folder(path);
  return input;
}

console::UserError nothing_in(const std::string& path) {
  return {fmt::format("cannot read {}: it is empty", input_name(path)), "there is not one byte in it",
          "if the job is running, its output may wait in a buffer: start it with PYTHONUNBUFFERED=1"};
}

}  // namespace lowtide::cli
