#include "attach/socket_dir_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lowtide::attach {

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

namespace {

std::string from_here(const InjectOptions& options, const std::string& path) {
  return options.folder_from_here.empty() ? path : options.folder_from_here + path.substr(path.rfind('/'));
}

}  // namespace

std::string own_folder(const InjectOptions& options) {
  return options.folder_from_here.empty() ? folder_of(options.socket_path) : options.folder_from_here;
}

std::string own_agent_path(const InjectOptions& options) {
  return from_here(options, options.agent_path);
}

base::Result<base::Fd> chown_socket_dir(const InjectOptions& options, uid_t uid) {
  const std::string path = own_folder(options);
  const std::string socket_name = options.socket_path.substr(options.socket_path.rfind('/') + 1);
  base::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0) {
    return base::Error{base::ErrorCode::Io, "open " + path + ": " + std::strerror(errno)};
  }
  if (info.st_uid != ::geteuid() && info.st_uid != uid) {
    return base::Error{base::ErrorCode::Io, path + " belongs to another user"};
  }
  if (uid == ::geteuid()) {
    return folder;
  }
  // The socket first: while the folder is ours, nobody can put something else in its place.
  constexpr auto kSameGroup = static_cast<gid_t>(-1);
  if (::fchownat(folder.get(), socket_name.c_str(), uid, kSameGroup, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::fchown(folder.get(), uid, kSameGroup) != 0) {
    return base::Error{base::ErrorCode::Io, "change the owner of " + path +
                                                " to the user of the process: " + std::strerror(errno)};
  }
  return folder;
}

}  // namespace lowtide::attach
