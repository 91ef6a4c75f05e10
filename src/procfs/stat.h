// /proc/PID/stat: the parents, the start time and the CPU time of a process.
//
// The second field is the name of the command in parentheses, and a process
// may call itself anything: "a) R 1 (b". Only the last ')' of the line is ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lowtide::procfs {

struct Stat {
  std::int64_t pid = 0;
  std::int64_t ppid = 0;
  std::int64_t pgrp = 0;
  std::int64_t session = 0;
  std::int64_t tty_nr = 0;  // 0: no terminal
  char state = '?';
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t utime_ticks = 0;
  std::uint64_t stime_ticks = 0;
  std::uint64_t start_ticks = 0;  // since boot; with the pid it names a process for good
  std::uint32_t threads = 0;
  bool kernel_thread = false;
  bool ending = false;  // on its way out; may last, while much memory is given back

  // Up to 15 bytes for processes, 63 for kernel workers. Any byte but NUL: goes
  // through base::printable before it is shown.
  std::array<char, 64> comm_text{};
  std::size_t comm_length = 0;

  [[nodiscard]] std::string_view comm() const { return {comm_text.data(), comm_length}; }
};

base::Result<Stat> parse_stat(std::string_view text);

}  // namespace lowtide::procfs
