// Opening files as the target sees them.
//
// A path in /proc/PID/maps belongs to the target's mount namespace. From our side
// it begins at /proc/PID/root, and absolute symbolic links on the way must not
// lead out into our own file system: openat2 with RESOLVE_IN_ROOT sees to that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.h"

namespace lowtide::symbols {

struct TargetFiles {
  std::string proc = "/proc";
  std::int32_t pid = 0;

  // A regular file by its path in the target; by the same path here where the
  // target's root may not be entered. Not valid: there is none.
  [[nodiscard]] base::Fd open(const std::string& path) const;
  // The mapped file itself, whatever became of its name. Needs
  // CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
  [[nodiscard]] base::Fd open_mapped(std::uint64_t start, std::uint64_t end) const;
};

// For reading; never waits for a FIFO, never takes a terminal.
base::Fd open_regular(const std::string& path);

// The first bytes of an open file, as many as there are; empty where it is not open.
std::string read_start(const base::Fd& file, std::size_t most);

}  // namespace lowtide::symbols
