// What the tree may grow to before somebody is killed.
//
// The limit of a cgroup counts more than the tree: page cache, kernel memory,
// other processes in it. Page cache goes when it must; the rest stays. So the
// ceiling of the tree is the limit less what is not the tree's and cannot be
// taken back, and with it the ceiling stands still while the tree grows. The
// same for the host: what the tree has and what is available besides.
#pragma once

#include <cstdint>
#include <optional>

#include "explain/evidence/evidence.h"
#include "model/report.h"

namespace lowtide::explain {

struct Ceiling {
  model::Limit limit;            // as people know it: the cgroup's 32 GiB
  std::uint64_t tree_bytes = 0;  // how far the tree can grow under it
};

// The user's limit if there is one, else the tightest of cgroup and host; absent when none was recorded.
std::optional<Ceiling> find_ceiling(const Evidence& evidence, std::optional<std::uint64_t> user_limit_bytes);

}  // namespace lowtide::explain
