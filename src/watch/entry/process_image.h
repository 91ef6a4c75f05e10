// Which program a process runs.
#pragma once

#include <cstdint>

namespace lowtide::watch {

// Changes with every exec: the kernel gives each program its load address and random bytes. A fork has the
// value of its parent. 0: it cannot be read. Costs 10 us.
std::uint64_t read_image(std::int64_t pid);

}  // namespace lowtide::watch
