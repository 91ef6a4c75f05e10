#include "watch/unkept_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lowtide::watch {
namespace {

constexpr std::string_view kPrefix = "lowtide-unkept-";
constexpr int kMostEntries = 20'000;  // of the temporary folder
constexpr int kMostUnkeptFiles = 100;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<std::string> names_in(int folder, int most) {
  std::vector<std::string> names;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseFolder> list(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!list) return names;
  for (int count = 0; count < most; ++count) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

void remove_files(int folder) {
  for (const std::string& name : names_in(folder, kMostUnkeptFiles)) ::unlinkat(folder, name.c_str(), 0);
}

// The folder, if it belongs to this user and no living monitor has it.
base::Fd take_dead(int parent, const std::string& name) {
  base::Fd folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid() ||
      ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    return {};
  }
  return folder;
}

void remove_dead(const std::string& parent_path) {
  const base::Fd parent(::open(parent_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return;
  for (const std::string& name : names_in(parent.get(), kMostEntries)) {
    if (!name.starts_with(kPrefix)) continue;
    const base::Fd folder = take_dead(parent.get(), name);
    if (!folder.valid()) continue;
    remove_files(folder.get());
    ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace

UnkeptFolder::UnkeptFolder(std::string path, base::Fd lock)
    : path_(std::move(path)), lock_(std::move(lock)), owner_(::getpid()) {}

UnkeptFolder::UnkeptFolder(UnkeptFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), owner_(other.owner_) {}

UnkeptFolder& UnkeptFolder::operator=(UnkeptFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::move(other.lock_);
    owner_ = other.owner_;
  }
  return *this;
}

base::Result<UnkeptFolder> UnkeptFolder::make(const std::string& parent) {
  constexpr int kMostTries = 10;
  remove_dead(parent);
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return base::Error{base::ErrorCode::Io,
                         "make a folder in " + parent + ": " + std::generic_category().message(errno)};
    }
    base::Fd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    // Another monitor may have taken it for a dead one's before it was locked.
    if (lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(lock.get(), &info) == 0 &&
        info.st_nlink > 0) {
      return UnkeptFolder(std::move(path), std::move(lock));
    }
    ::rmdir(path.c_str());  // where locks are not supported
  }
  return base::Error{base::ErrorCode::Io, "make a folder in " + parent + ": it was removed each time"};
}

void UnkeptFolder::remove() {
  if (path_.empty() || ::getpid() != owner_) return;
  remove_files(lock_.get());
  ::rmdir(path_.c_str());
  path_.clear();
}

}  // namespace lowtide::watch
