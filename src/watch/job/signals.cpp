#include "watch/job/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace lowtide::watch {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH}) {
    sigaddset(&set, number);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = base::Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<Signals::Signal> Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return Signal{.number = static_cast<int>(info.ssi_signo),
                .sent_to_us = info.ssi_code <= 0,
                .sender = static_cast<pid_t>(info.ssi_pid)};
}

}  // namespace lowtide::watch
