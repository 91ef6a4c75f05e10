#include "observe/agents/walker_watch.h"

#include <csignal>

#include "procfs/kernel_clock.h"
#include "wire/snapshot.h"

namespace lowtide::observe {

std::optional<procfs::Stat> WalkerWatch::read() {
  const auto stat = procfs::read_stat(roots_, pid_);
  if (!stat || stat.value().comm() != wire::kWalkerName) return std::nullopt;
  ticks_ = stat.value().utime_ticks + stat.value().stime_ticks;
  return stat.value();
}

bool WalkerWatch::is_stuck(double now_s) {
  constexpr double kLongS = 2;
  const auto stat = read();
  if (!stat || stat->state != 'S') {
    asleep_since_s_ = -1;
    return false;
  }
  if (asleep_since_s_ < 0 || ticks_ != asleep_ticks_) asleep_since_s_ = now_s;
  asleep_ticks_ = ticks_;
  return now_s - asleep_since_s_ >= kLongS;
}

bool WalkerWatch::has_ended() {
  const auto stat = read();
  return !stat || stat->state == 'Z';
}

double WalkerWatch::cpu_s() const {
  return static_cast<double>(ticks_) / static_cast<double>(procfs::ticks_per_second());
}

void WalkerWatch::end() const {
  const auto stat = procfs::read_stat(roots_, pid_);
  if (stat && stat.value().comm() == wire::kWalkerName) ::kill(pid_, SIGKILL);
}

}  // namespace lowtide::observe
