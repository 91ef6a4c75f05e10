#include "watch/job/job.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/fd.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every libc's unistd.h

namespace lowtide::watch {
namespace {

struct Inherited {
  sigset_t mask{};
  struct sigaction pipe {};
  struct sigaction file_size {};
  struct sigaction child {};
};

Inherited& inherited() {
  static Inherited state;
  return state;
}

base::Error start_error(int error_number) {
  const base::ErrorCode code = error_number == ENOENT                            ? base::ErrorCode::Gone
                               : error_number == EACCES || error_number == EPERM ? base::ErrorCode::Denied
                                                                                 : base::ErrorCode::Io;
  return {code, std::strerror(error_number)};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> environment = settings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view setting(*entry);
    const std::string_view name = setting.substr(0, setting.find('=') + 1);
    const bool replaced = std::any_of(settings.begin(), settings.end(),
                                      [&](const std::string& own) { return own.starts_with(name); });
    if (!replaced || name.empty()) environment.emplace_back(setting);
  }
  return environment;
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_job(const std::vector<char*>& arguments, const JobStreams& streams,
                             std::vector<char*>& environment, int report_fd) {
  if (streams.input >= 0) ::dup2(streams.input, STDIN_FILENO);
  if (streams.output >= 0) ::dup2(streams.output, STDOUT_FILENO);
  if (streams.error >= 0) ::dup2(streams.error, STDERR_FILENO);
  ::sigaction(SIGPIPE, &inherited().pipe, nullptr);
  ::sigaction(SIGXFSZ, &inherited().file_size, nullptr);
  ::sigaction(SIGCHLD, &inherited().child, nullptr);
  ::sigprocmask(SIG_SETMASK, &inherited().mask, nullptr);
  environ = environment.data();
  ::execvp(arguments[0], arguments.data());
  const int error_number = errno;
  [[maybe_unused]] const ssize_t told = ::write(report_fd, &error_number, sizeof error_number);
  ::_exit(127);
}

}  // namespace

void remember_signals() {
  ::sigprocmask(SIG_SETMASK, nullptr, &inherited().mask);
  ::sigaction(SIGPIPE, nullptr, &inherited().pipe);
  ::sigaction(SIGXFSZ, nullptr, &inherited().file_size);
  ::sigaction(SIGCHLD, nullptr, &inherited().child);
}

base::Result<pid_t> start_job(const std::vector<std::string>& command, const JobStreams& streams,
                              const std::vector<std::string>& settings) {
  std::vector<std::string> words = command;
  std::vector<std::string> environment = environment_with(settings);
  std::vector<char*> arguments = pointers_to(words);
  std::vector<char*> environment_pointers = pointers_to(environment);

  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return start_error(errno);
  base::Fd report(ends[0]);
  base::Fd report_in_child(ends[1]);
  // lowtide, not init, becomes the parent of the job's orphans, so that they are watched. For them only the
  // parent pid differs.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t pid = ::fork();
  if (pid < 0) return start_error(errno);
  if (pid == 0) become_job(arguments, streams, environment_pointers, report_in_child.get());

  report_in_child.reset();
  int error_number = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &error_number, sizeof error_number);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return pid;  // closed by exec: it runs
  ::waitpid(pid, nullptr, 0);
  return start_error(error_number);
}

int exit_status_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

}  // namespace lowtide::watch
