#include "watch/job/start_self.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "watch/flags.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every libc's unistd.h

namespace lowtide::watch {

base::Result<pid_t> start_attach(pid_t target, const Settings& settings, SelfTie tie) {
  console::Flags<Settings> flags = watch_flags();
  flags.push_back(deep_flag());
  std::vector<std::string> words = console::words_of(flags, settings);
  words.insert(words.begin(), {"lowtide", "attach"});
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
  const int last = tie == SelfTie::Ours ? STDOUT_FILENO : STDERR_FILENO;
  for (int fd = STDIN_FILENO; fd <= last; ++fd) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  const int apart = tie == SelfTie::Ours ? POSIX_SPAWN_SETPGROUP : POSIX_SPAWN_SETSID;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(apart | POSIX_SPAWN_SETSIGMASK));
  pid_t started = -1;
  const int error =
      ::posix_spawn(&started, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return base::Error{base::ErrorCode::Io, std::strerror(error)};
  return started;
}

}  // namespace lowtide::watch
