#include "cli/witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include "cli/signals.h"
#include "observe/watch.h"

namespace lowtide::cli {
namespace {

// The kernel signals a group in one go: both of us learn it within a switch or two.
constexpr double kPatienceS = 0.03;
// Of two alike that came together we may have got one: what is left must not count later.
constexpr double kFreshS = 0.25;

struct Words {
  char* begin = nullptr;
  std::size_t bytes = 0;
};

Words& own_words() {
  static Words words;
  return words;
}

}  // namespace

void Witness::remember_words(int count, char** words) {
  if (count < 1) return;
  const char* const last = words[count - 1];
  own_words() = {words[0], static_cast<std::size_t>(last + std::strlen(last) - words[0])};
}

Witness::Witness() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  reports_fd_ = base::Fd(ends[0]);
  base::Fd theirs(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) look(theirs.get());
  if (pid_ < 0) {
    pid_ = 0;
    reports_fd_.reset();
  }
}

// Nothing of ours is kept open: neither streams whose end somebody waits for, nor the job's.
void Witness::look(int report_fd) {
  constexpr int kReports = 3;
  // Whoever signals by name means the monitor: neither this name nor the words match then.
  ::prctl(PR_SET_NAME, "tide-witness", 0, 0, 0);
  if (own_words().begin != nullptr) std::memset(own_words().begin, 0, own_words().bytes);
  const int nothing = ::open("/dev/null", O_RDWR);
  const int kept = ::fcntl(report_fd, F_DUPFD, kReports + 1);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, fd);
  ::dup2(kept, kReports);
  if (::syscall(SYS_close_range, kReports + 1, UINT_MAX, 0) != 0) {
    const long most = std::clamp(::sysconf(_SC_OPEN_MAX), 256L, 65536L);
    for (int fd = kReports + 1; fd < most; ++fd) ::close(fd);
  }
  Signals signals;
  pollfd files[2] = {{.fd = kReports, .events = POLLIN, .revents = 0},
                     {.fd = signals.fd(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (::poll(files, 2, -1) < 0 && errno != EINTR) ::_exit(0);
    if (files[0].revents != 0) ::_exit(0);  // it was closed: the monitor is gone, or has enough of us
    while (const auto signal = signals.next()) {
      if (!signal->sent_to_us) continue;
      const Report report{signal->number, signal->sender, observe::steady_seconds()};
      if (::send(kReports, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EPIPE) {
        ::_exit(0);
      }
    }
  }
}

void Witness::take_reports() {
  Report report;
  while (::recv(reports_fd_.get(), &report, sizeof report, MSG_DONTWAIT) ==
         static_cast<ssize_t>(sizeof report)) {
    reports_.push_back(report);
  }
  const double now_s = observe::steady_seconds();
  std::erase_if(reports_, [now_s](const Report& old) { return now_s - old.at_s > kFreshS; });
}

bool Witness::saw(int number, pid_t sender) {
  if (!reports_fd_.valid()) return false;
  const double until_s = observe::steady_seconds() + kPatienceS;
  while (true) {
    take_reports();
    const auto same = std::find_if(reports_.begin(), reports_.end(), [&](const Report& report) {
      return report.number == number && report.sender == sender;
    });
    if (same != reports_.end()) {
      reports_.erase(same);
      return true;
    }
    const double left_s = until_s - observe::steady_seconds();
    if (left_s <= 0) return false;
    pollfd file{.fd = reports_fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&file, 1, static_cast<int>(left_s * 1e3) + 1) > 0 && (file.revents & POLLIN) == 0)
      return false;
  }
}

void Witness::dismiss() {
  reports_fd_.reset();
  if (pid_ <= 0) return;
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

}  // namespace lowtide::cli
