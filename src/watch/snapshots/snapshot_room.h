// Whether a cgroup has room for the forked child that takes a snapshot.
//
// The child counts in the cgroup of the job. Where the kernel kills all processes of a cgroup at its limit
// (memory.oom.group of cgroup v2), a snapshot without room would kill the whole job. Otherwise the kernel
// kills the child first, because the child asks for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "procfs/roots.h"

namespace lowtide::watch {

// The tables of the child, in addition to the pages that it keeps.
inline constexpr std::uint64_t kWalkTablesBytes = 256U << 20U;

// Until the child ends, the kernel copies every page that the job writes: at worst all of them.
constexpr std::uint64_t worst_walk_bytes(std::uint64_t rss_bytes) {
  return rss_bytes + kWalkTablesBytes;
}

// Why no snapshot may be taken, as a sentence; absent: it may be taken. `room_bytes` is the memory that is
// left until all processes are killed; absent: the kernel kills single processes.
std::optional<std::string> reason_against_snapshot(std::optional<std::uint64_t> room_bytes,
                                                   std::uint64_t rss_bytes);

// The same for any process, read now.
std::optional<std::string> reason_against_snapshot(const procfs::Roots& roots, std::int32_t pid);

}  // namespace lowtide::watch
