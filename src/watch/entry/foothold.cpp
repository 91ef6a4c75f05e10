#include "watch/entry/foothold.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "observe/agents/socket_folder.h"

namespace lowtide::watch {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string path_of(const base::Fd& folder) {
  return "/proc/self/fd/" + std::to_string(folder.get());
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Name by name and without links: a link of the target would lead into our own file system.
base::Fd open_below(const base::Fd& root, const std::string& path) {
  base::Fd folder(::openat(root.get(), ".", kFolderFlags));
  std::istringstream names(path);
  for (std::string name; folder.valid() && std::getline(names, name, '/');) {
    folder = base::Fd(::openat(folder.get(), name.c_str(), kFolderFlags));
  }
  return folder;
}

// Code can be loaded from it, and no other user can replace the folder that we make in it.
bool is_fit(const base::Fd& folder) {
  struct stat info {};
  struct statvfs mount {};
  const bool is_known = ::fstat(folder.get(), &info) == 0 && ::fstatvfs(folder.get(), &mount) == 0;
  const bool is_shared = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return is_known && (mount.f_flag & (ST_NOEXEC | ST_RDONLY)) == 0 &&
         (!is_shared || (info.st_mode & S_ISVTX) != 0);
}

base::Error failed(const std::string& what) {
  return {base::ErrorCode::Io, what + ": " + std::strerror(errno)};
}

}  // namespace

base::Result<Foothold> Foothold::make(pid_t pid, const std::string& agent_path) {
  const base::Fd root(
      ::open(("/proc/" + std::to_string(pid) + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    return base::Error{errno == ENOENT ? base::ErrorCode::Gone : base::ErrorCode::Denied,
                       "its root folder cannot be opened"};
  }
  const auto boot_mark = observe::read_boot_mark();
  for (const std::string place : {"tmp", "var/tmp", "dev/shm", "run"}) {
    base::Fd parent = open_below(root, place);
    if (!parent.valid() || !is_fit(parent)) continue;
    if (boot_mark) observe::remove_dead_folders(path_of(parent), *boot_mark);
    const auto made = observe::make_socket_folder(path_of(parent), boot_mark.value_or("unknown"));
    if (!made) continue;
    Foothold foothold(std::move(parent), '/' + place + '/' + name_of(made.value()));
    if (const auto filled = foothold.fill(agent_path); !filled) return filled.error();
    return foothold;
  }
  return base::Error{base::ErrorCode::Unsupported,
                     "it has another file system (a container), and no folder in it for the agent: /tmp, "
                     "/var/tmp, /dev/shm and /run are missing, read-only or noexec"};
}

base::Result<bool> Foothold::fill(const std::string& agent_path) {
  folder_ = base::Fd(::openat(parent_.get(), name_of(path_).c_str(), kFolderFlags));
  if (!folder_.valid()) return failed("open " + path_);
  const base::Fd from(::open(agent_path.c_str(), O_RDONLY | O_CLOEXEC));
  const base::Fd to(::openat(folder_.get(), std::string(observe::kAgentFileName).c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  constexpr std::size_t kAtOnce = 1U << 20U;
  ssize_t copied = from.valid() && to.valid() ? 1 : -1;
  while (copied > 0) copied = ::sendfile(to.get(), from.get(), nullptr, kAtOnce);
  if (copied < 0 || ::fchmod(to.get(), 0644) != 0) return failed("copy the agent to " + path_);
  auto socket = observe::AgentSocket::bind(path_of(folder_) + '/' + std::string(observe::kSocketName));
  if (!socket) return std::move(socket).error();
  socket_.emplace(std::move(socket).value());
  return true;
}

Foothold::~Foothold() {
  if (!parent_.valid()) return;
  if (folder_.valid()) {
    ::unlinkat(folder_.get(), std::string(observe::kAgentFileName).c_str(), 0);
    ::unlinkat(folder_.get(), std::string(observe::kSocketName).c_str(), 0);
  }
  ::unlinkat(parent_.get(), name_of(path_).c_str(), AT_REMOVEDIR);
}

attach::InjectOptions Foothold::options() const {
  attach::InjectOptions options;
  options.agent_path = path_ + '/' + std::string(observe::kAgentFileName);
  options.socket_path = path_ + '/' + std::string(observe::kSocketName);
  options.folder_from_here = path_of(folder_) + "/.";
  return options;
}

}  // namespace lowtide::watch
