// What this machine lets us do, for `doctor` and for the "why" of errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

struct Rights {
  // Each a value, or why it is not known.
  base::Result<int> ptrace_scope;  // yama: 0 anything of the same user, 1 children, 2 admin, 3 nobody
  base::Result<int> perf_event_paranoid;
  base::Result<std::uint64_t> capabilities;  // CapEff, bit by bit
  base::Result<std::string> kernel;          // "6.18.44"
};

Rights read_rights(const Roots& roots);

// Bits of Rights::capabilities.
inline constexpr unsigned kCapSysPtrace = 19;
inline constexpr unsigned kCapSysAdmin = 21;
inline constexpr unsigned kCapPerfmon = 38;
inline bool has_capability(std::uint64_t capabilities, unsigned bit) {
  return ((capabilities >> bit) & 1U) != 0;
}

// The "CapEff" line of /proc/PID/status.
base::Result<std::uint64_t> parse_capabilities(std::string_view status);

// True when the signal would end the process that has this /proc/PID/status: it neither catches nor ignores
// it.
bool would_die_of(std::string_view status, int signal);

// How many seccomp filters the process with this /proc/PID/status has. Kernels before 5.9 do not count: there
// it is one if it has any.
std::uint64_t count_seccomp_filters(std::string_view status);

}  // namespace lowtide::procfs
