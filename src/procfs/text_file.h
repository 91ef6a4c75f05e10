// Reading the kernel's small text files: whole, in one go, without the heap.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace lowtide::procfs {

// The text of the last file read. Lives on the stack of the reader: a buffer in
// each of 10,000 processes would cost more memory than we may use in all.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): zeroing it would cost as much as reading
class TextBuffer {
 public:
  // From the start of the file, by pread, so that a kept descriptor can be read
  // again. The kernel makes these files at the moment of the read; one that
  // does not fit (a user with 2,000 groups has a long status) goes to the heap,
  // and is cut at 1 MiB.
  base::Result<std::string_view> read(int fd, const char* name);

 private:
  std::array<char, 16384> small_;
  std::string large_;
};

// A file of the machine that every tick reads: opened at the first read, and
// again after one that failed.
class KeptText {
 public:
  explicit KeptText(std::string path) : path_(std::move(path)) {}

  // No heap allocation once it is open.
  base::Result<std::string_view> read(TextBuffer& buffer);

 private:
  std::string path_;
  base::Fd file_;
};

// Opens for reading, close-on-exec. `folder` may be AT_FDCWD.
base::Result<base::Fd> open_text(int folder, const char* path);

// The error of a system call on `name`. ENOENT, ESRCH, ENODEV: Gone. EACCES,
// EPERM: Denied. EOPNOTSUPP, ENOSYS: Unsupported.
base::Error make_system_error(int error_number, std::string_view name);

// Whole file, to read once. At most max_bytes of it.
base::Result<std::string> read_text(const std::string& path, std::size_t max_bytes = 1U << 20U);

}  // namespace lowtide::procfs
