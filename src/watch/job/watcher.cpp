#include "watch/job/watcher.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "watch/job/job.h"
#include "watch/job/start_self.h"

namespace lowtide::watch {

base::Result<Watcher> Watcher::start(pid_t target, const Settings& settings) {
  const base::Result<pid_t> started = start_attach(target, settings, SelfTie::Ours);
  if (!started) return started.error();
  return Watcher(started.value());
}

Watcher::Watcher(Watcher&& other) noexcept : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

Watcher::~Watcher() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

int Watcher::poll() {
  int status = 0;
  if (pid_ >= 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    pid_ = -1;
    status_ = exit_status_of(status);
  }
  return status_;
}

}  // namespace lowtide::watch
