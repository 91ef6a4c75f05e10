#include "procfs/stat.h"

#include <algorithm>

#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

constexpr std::uint64_t kFlagExiting = 0x00000004;       // PF_EXITING
constexpr std::uint64_t kFlagKernelThread = 0x00200000;  // PF_KTHREAD

bool skip_numbers(std::string_view& text, int count) {
  std::int64_t ignored = 0;
  for (int at = 0; at < count; ++at) {
    if (!take_number(text, ignored)) {
      return false;
    }
  }
  return true;
}

// Fields 4 to 22 of proc(5), what stands behind the state.
bool take_stat_fields(std::string_view text, Stat& stat) {
  std::uint64_t flags = 0;
  const bool taken =
      take_number(text, stat.ppid) && take_number(text, stat.pgrp) && take_number(text, stat.session) &&
      take_number(text, stat.tty_nr) && skip_numbers(text, 1) &&  // tpgid
      take_number(text, flags) && take_number(text, stat.minor_faults) &&
      skip_numbers(text, 1) &&  // those of waited-for children
      take_number(text, stat.major_faults) && skip_numbers(text, 1) && take_number(text, stat.utime_ticks) &&
      take_number(text, stat.stime_ticks) && skip_numbers(text, 4) &&  // cutime, cstime, priority, nice
      take_number(text, stat.threads) && skip_numbers(text, 1) && take_number(text, stat.start_ticks);
  stat.ending = (flags & kFlagExiting) != 0;
  stat.kernel_thread = (flags & kFlagKernelThread) != 0;
  return taken;
}

base::Error make_malformed() {
  return {base::ErrorCode::Malformed, "stat is not \"pid (name) state numbers\""};
}

}  // namespace

base::Result<Stat> parse_stat(std::string_view text) {
  Stat stat;
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return make_malformed();
  }
  std::string_view before = text.substr(0, open);
  if (!take_number(before, stat.pid)) {
    return make_malformed();
  }
  const std::string_view name = text.substr(open + 1, close - open - 1);
  stat.comm_length = std::min(name.size(), stat.comm_text.size());
  std::copy_n(name.begin(), stat.comm_length, stat.comm_text.begin());

  std::string_view after = text.substr(close + 1);
  skip_blanks(after);
  if (after.empty()) {
    return make_malformed();
  }
  stat.state = after.front();
  after.remove_prefix(1);
  if (!take_stat_fields(after, stat)) {
    return make_malformed();
  }
  return stat;
}

}  // namespace lowtide::procfs
