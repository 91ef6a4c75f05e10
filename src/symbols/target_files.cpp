#include "symbols/target_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lowtide::symbols {
namespace {

constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

base::Fd only_regular(base::Fd fd) {
  struct stat status {};
  if (fd.valid() && (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))) {
    fd.reset();
  }
  return fd;
}

base::Fd open_in_root(int root, const std::string& path) {
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return base::Fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

}  // namespace

base::Fd open_regular(const std::string& path) {
  return only_regular(base::Fd(::open(path.c_str(), kFlags)));
}

base::Fd TargetFiles::open(const std::string& path) const {
  const std::string root_path = fmt::format("{}/{}/root", proc, pid);
  const base::Fd root(::open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    return open_regular(path);
  }
  base::Fd fd = open_in_root(root.get(), path);
  if (!fd.valid()) {
    // Before Linux 5.6, or under a seccomp filter that does not know the call.
    fd = base::Fd(::open((root_path + path).c_str(), kFlags));
  }
  return only_regular(std::move(fd));
}

base::Fd TargetFiles::open_mapped(std::uint64_t start, std::uint64_t end) const {
  return open_regular(fmt::format("{}/{}/map_files/{:x}-{:x}", proc, pid, start, end));
}

std::string read_start(const base::Fd& file, std::size_t most) {
  std::string text(file.valid() ? most : 0, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace lowtide::symbols
