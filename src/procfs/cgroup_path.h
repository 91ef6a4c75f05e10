// Which cgroup counts a process's memory, and in which folder that is.
//
// /proc/PID/cgroup has the path inside the hierarchy, mountinfo which part of
// the hierarchy is mounted where. In a container the two need not agree: docker
// on cgroup v1 shows "/docker/ID" and mounts just that as the root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

struct CgroupMembership {
  std::optional<std::string> memory_v1;  // path in the v1 hierarchy that has the memory controller
  std::optional<std::string> unified;    // path in the v2 hierarchy
};

// Malformed when no line is one of a cgroup.
base::Result<CgroupMembership> parse_cgroup_membership(std::string_view text);

struct CgroupMount {
  int version = 2;
  std::string root;   // the path in the hierarchy that is mounted here; "/" for all of it
  std::string point;  // where
};

// The mounts of cgroup v2 and of the v1 memory controller.
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

struct CgroupFolder {
  int version = 2;
  std::string top;   // the highest folder of the hierarchy that we can see
  std::string path;  // below top: "" or "/a/b"
};

// The text of /proc/PID/cgroup: while it is the same, so is the folder.
base::Result<std::string> read_cgroup_membership(const Roots& roots, std::int32_t pid);

// Unsupported when the memory of `pid` is counted nowhere that we can see.
base::Result<CgroupFolder> find_memory_cgroup(const Roots& roots, std::int32_t pid);

}  // namespace lowtide::procfs
