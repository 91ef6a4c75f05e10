// What a process is: read once or rarely, to give it a role and a name.
//
// All of it is text from outside: base::printable before it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

// The arguments; empty for kernel threads and zombies. At most 128 KiB of them.
base::Result<std::vector<std::string>> read_arguments(const Roots& roots, std::int32_t pid);

// The arguments with blanks between; the name in brackets, "[kworker/0:1]",
// where there are none.
base::Result<std::string> read_command_line(const Roots& roots, std::int32_t pid);

// None: not set. Denied: the process is not ours to look into. What the process
// itself set after it began is not seen.
base::Result<std::optional<std::string>> read_environment_value(const Roots& roots, std::int32_t pid,
                                                                std::string_view key);

// The program file; " (deleted)" at its end is taken off.
base::Result<std::string> read_exe(const Roots& roots, std::int32_t pid);
// "pid:[4026531836]" of ourselves.
base::Result<std::string> read_own_pid_namespace(const Roots& roots);

// What distinguishes a training process from others.
struct MappedLibraries {
  bool torch = false;
  bool jax = false;
  bool tensorflow = false;
  bool python = false;  // libpython, or the interpreter itself
  bool cut = false;     // the list was longer than what is looked at

  [[nodiscard]] bool any_framework() const { return torch || jax || tensorflow; }
};
void note_library(std::string_view path, MappedLibraries& found);
base::Result<MappedLibraries> read_mapped_libraries(const Roots& roots, std::int32_t pid);

// Where a descriptor of a process leads.
struct FdTarget {
  std::string path;      // "/data/train.log", "pipe:[123]", "/dev/pts/3"
  bool regular = false;  // a file that can be read from outside
  bool deleted = false;  // it has no name any more
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t offset_bytes = 0;
  int open_flags = 0;  // O_APPEND, O_WRONLY ...
};
base::Result<FdTarget> read_fd_target(const Roots& roots, std::int32_t pid, int fd);
// Whether one of its descriptors leads to `path`.
base::Result<bool> has_opened(const Roots& roots, std::int32_t pid, std::string_view path);

struct FdInfo {
  std::uint64_t offset_bytes = 0;
  int open_flags = 0;
};
base::Result<FdInfo> parse_fdinfo(std::string_view text);

}  // namespace lowtide::procfs
