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

// Processes that have a training framework loaded, most memory first. Workers
// that another of them forked are not listed: they come with it.
std::vector<FoundJob> find_jobs(const procfs::Roots& roots);

// The first of them; tells on standard error which were found and why this one.
std::optional<pid_t> choose_job(const procfs::Roots& roots);

}  // namespace lowtide::watch
