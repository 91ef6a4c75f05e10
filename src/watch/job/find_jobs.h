// Which process on this machine is the training job?
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "procfs/roots.h"

namespace lowtide::watch {

struct FoundJob {
  pid_t pid = 0;
  std::uint64_t rss_bytes = 0;
  std::string command;
  std::string why;  // "python with torch"
};

// The processes that have a training framework loaded, largest first. Their descendants are not listed.
std::vector<FoundJob> find_jobs(const procfs::Roots& roots);

// The first of them. Prints the processes that were found on standard error.
std::optional<pid_t> choose_job(const procfs::Roots& roots);

}  // namespace lowtide::watch
