#include "observe/agents/socket_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>

#include "base/fd.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMarkLetters = 8;
constexpr std::size_t kRandomLetters = 6;
constexpr int kMostTries = 20'000;
constexpr std::time_t kUnfinishedS = 3600;  // a folder gets its socket within microseconds

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string prefix_of(std::string_view boot_mark) {
  return "lowtide-" + std::string(boot_mark) + "-";
}

// True when no living process has the socket. What cannot be asked is taken to be alive. Asked by a socket of
// another kind, which a living one refuses as such (EPROTOTYPE): no connection is left in its queue.
bool has_no_listener(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  const base::Fd asking(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return asking.valid() &&
         ::connect(asking.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
         errno == ECONNREFUSED;
}

// By descriptors, and only what is ours: in /tmp others may make any name, links too. Root gives its folder
// to the user of the job, so it removes folders of others too.
bool remove_if_dead(int parent, const std::string& parent_path, const char* name) {
  const base::Fd folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0 ||
      (info.st_uid != ::geteuid() && ::geteuid() != 0)) {
    return false;
  }
  const std::string socket_name(kSocketName);
  struct stat socket {};
  if (::fstatat(folder.get(), socket_name.c_str(), &socket, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISSOCK(socket.st_mode) || !has_no_listener(parent_path + '/' + name + '/' + socket_name) ||
        ::unlinkat(folder.get(), socket_name.c_str(), 0) != 0) {
      return false;
    }
    ::unlinkat(folder.get(), (socket_name + ".call").c_str(), 0);  // of an attach (attach/report_socket.h)
    ::unlinkat(folder.get(), std::string(kAgentFileName).c_str(), 0);
  } else if (std::time(nullptr) - info.st_mtime < kUnfinishedS) {
    return false;  // its monitor is just making the socket
  }
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0;  // not where something else is in it
}

}  // namespace

std::optional<std::string> read_boot_mark() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string mark(kMarkLetters, '\0');
  if (!file.read(mark.data(), static_cast<std::streamsize>(mark.size())) ||
      mark.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  return mark;
}

base::Result<std::string> make_socket_folder(const std::string& parent, std::string_view boot_mark) {
  std::string folder = parent + '/' + prefix_of(boot_mark) + std::string(kRandomLetters, 'X');
  if (::mkdtemp(folder.data()) == nullptr) {  // 0700
    return base::Error{base::ErrorCode::Io, "create a folder in " + parent + ": " + std::strerror(errno)};
  }
  return folder;
}

std::size_t remove_dead_folders(const std::string& parent, std::string_view boot_mark) {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(parent.c_str()));
  if (folder == nullptr) return 0;
  const std::string prefix = prefix_of(boot_mark);
  std::size_t removed = 0;
  for (int names = 0; names < kMostTries; ++names) {
    const dirent* entry =
        ::readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): this folder is ours alone
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandomLetters &&
        remove_if_dead(::dirfd(folder.get()), parent, entry->d_name)) {
      ++removed;
    }
  }
  return removed;
}

}  // namespace lowtide::observe
