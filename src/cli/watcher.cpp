#include "cli/watcher.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "cli/job.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every libc's unistd.h

namespace lowtide::cli {

base::Result<Watcher> Watcher::start(pid_t target, const std::string& recording,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> words{"lowtide", "attach", "--no-status", "--no-report", "--output", recording};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(std::to_string(target));
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  sigset_t none{};
  sigemptyset(&none);
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // A group of its own: Ctrl-C is for us, and we tell it.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t started = -1;
  const int error =
      ::posix_spawn(&started, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return base::Error{base::ErrorCode::Io, std::strerror(error)};
  return Watcher(started);
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

}  // namespace lowtide::cli
