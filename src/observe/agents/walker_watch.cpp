#include "observe/agents/walker_watch.h"

#include <csignal>

#include "wire/snapshot.h"

namespace lowtide::observe {

bool WalkerWatch::is_stuck(double now_s) {
  constexpr double kLongS = 2;
  const auto stat = procfs::read_stat(roots_, pid_);
  if (!stat || stat.value().comm() != wire::kWalkerName || stat.value().state != 'S') {
    asleep_since_s_ = -1;
    return false;
  }
  const std::uint64_t ticks = stat.value().utime_ticks + stat.value().stime_ticks;
  if (asleep_since_s_ < 0 || ticks != ticks_) asleep_since_s_ = now_s;
  ticks_ = ticks;
  return now_s - asleep_since_s_ >= kLongS;
}

bool WalkerWatch::has_ended() const {
  const auto stat = procfs::read_stat(roots_, pid_);
  return !stat || stat.value().comm() != wire::kWalkerName || stat.value().state == 'Z';
}

void WalkerWatch::end() const {
  const auto stat = procfs::read_stat(roots_, pid_);
  if (stat && stat.value().comm() == wire::kWalkerName) ::kill(pid_, SIGKILL);
}

}  // namespace lowtide::observe
