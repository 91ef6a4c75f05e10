// The files of one process that every tick reads.
//
// The descriptors stay open: opening costs as much as reading. /proc/PID is
// opened once, so that a pid that the kernel gives to another process is never
// mistaken for this one. smaps_rollup is the exception, opened for each read:
// its descriptor is bound to the address space of the moment it was opened, so
// after an exec it answers ESRCH, and opened between vfork and exec it would
// show the parent's memory for ever.
//
// With 10,000 children descriptors run out. When few are left, those of this
// process are no longer kept: open, read, close, slower but right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "procfs/roots.h"
#include "procfs/smaps_rollup.h"
#include "procfs/stat.h"
#include "procfs/statm.h"
#include "procfs/status.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {

class ProcessFiles {
 public:
  // Gone when there is no such process.
  static base::Result<ProcessFiles> open(const Roots& roots, std::int32_t pid);

  // No heap allocation where they succeed. Gone: the process is no more (a
  // zombie still is: it has a stat and a status, without memory). Denied: it
  // belongs to somebody else.
  base::Result<Stat> read_stat();
  base::Result<Status> read_status();
  base::Result<Statm> read_statm();
  // Gone also for kernel threads and zombies, which have no address space. The
  // time it took is the caller's to budget.
  base::Result<SmapsRollup> read_smaps_rollup();

  [[nodiscard]] std::int32_t pid() const { return pid_; }
  // With the pid it names the process for good.
  [[nodiscard]] std::uint64_t start_ticks() const { return start_ticks_; }
  // How many descriptors it holds now.
  [[nodiscard]] std::size_t kept_files() const;
  // Closes the descriptors; the next read opens them again.
  void close_files();

 private:
  ProcessFiles(std::string proc, std::int32_t pid) : proc_(std::move(proc)), pid_(pid) {}

  base::Result<std::string_view> read_kept(base::Fd& kept, const char* name, TextBuffer& buffer);
  base::Result<base::Fd> open_file(const char* name);
  base::Result<base::Fd> open_or_make_room(const char* name);

  std::string proc_;
  std::int32_t pid_ = 0;
  std::uint64_t start_ticks_ = 0;  // who it is, where the folder cannot be kept open
  base::Fd folder_;
  base::Fd stat_;
  base::Fd status_;
  base::Fd statm_;
};

// Of a process that is looked at once: one open, and nothing is kept.
base::Result<Stat> read_stat(const Roots& roots, std::int32_t pid);

}  // namespace lowtide::procfs
