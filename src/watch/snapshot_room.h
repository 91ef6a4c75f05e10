// Whether a cgroup has room for the child that walks over the objects of a process.
//
// The child counts in the cgroup of the job. Where the kernel kills all processes of a cgroup at its limit
// (memory.oom.group of cgroup v2), a snapshot without room would end the whole job. Elsewhere the kernel
// kills the child first, because it asks for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "procfs/roots.h"

namespace lowtide::watch {

// The tables of the child, beside the pages that it keeps.
inline constexpr std::uint64_t kWalkTablesBytes = 256U << 20U;

// Until the child ends, the kernel copies every page that the job writes: at worst all of them.
constexpr std::uint64_t worst_walk_bytes(std::uint64_t rss_bytes) {
  return rss_bytes + kWalkTablesBytes;
}

// Why there must be no snapshot, as a sentence; absent: nothing speaks against it. `room_bytes` is what is
// left until all processes are killed; absent: the kernel kills single processes.
std::optional<std::string> reason_against_snapshot(std::optional<std::uint64_t> room_bytes,
                                                   std::uint64_t rss_bytes);

// The same for any process, read now.
std::optional<std::string> reason_against_snapshot(const procfs::Roots& roots, std::int32_t pid);

}  // namespace lowtide::watch
