#include "cli/job.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/fd.h"

namespace lowtide::cli {
namespace {

struct Inherited {
  sigset_t mask{};
  struct sigaction pipe {};
  struct sigaction file_size {};
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

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_job(const std::vector<char*>& arguments, const JobStreams& streams, int report_fd) {
  if (streams.output >= 0) ::dup2(streams.output, STDOUT_FILENO);
  if (streams.error >= 0) ::dup2(streams.error, STDERR_FILENO);
  ::sigaction(SIGPIPE, &inherited().pipe, nullptr);
  ::sigaction(SIGXFSZ, &inherited().file_size, nullptr);
  ::sigprocmask(SIG_SETMASK, &inherited().mask, nullptr);
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
}

base::Result<pid_t> start_job(const std::vector<std::string>& command, const JobStreams& streams) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return start_error(errno);
  base::Fd report(ends[0]);
  base::Fd report_in_child(ends[1]);
  // Orphans of the job come to us instead of init, so that they are seen. They
  // notice nothing but the number of their parent.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t pid = ::fork();
  if (pid < 0) return start_error(errno);
  if (pid == 0) become_job(arguments, streams, report_in_child.get());

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

}  // namespace lowtide::cli
