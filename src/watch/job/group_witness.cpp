#include "watch/job/group_witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace lowtide::watch {
namespace {

// Both processes receive the signal within microseconds, but may have to wait for a CPU.
constexpr std::chrono::milliseconds kPatience{50};
constexpr std::chrono::milliseconds kTogether{200};

void close_all_but(int kept) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, 0, kept - 1, 0) == 0 && ::syscall(SYS_close_range, kept + 1, ~0U, 0) == 0)
    return;
#endif
  constexpr int kMostDescriptors = 65536;
  for (int fd = 0; fd < kMostDescriptors; ++fd) {
    if (fd != kept) ::close(fd);
  }
}

// A user who signals lowtide by name or command line (pkill) means the monitor, not the helper.
void take_another_name() {
  constexpr std::array<char, 15> kName = {"signal-witness"};
  ::prctl(PR_SET_NAME, kName.data());
  std::array<char, 4096> line{};
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = ::read(file, line.data(), line.size());
  ::close(file);
  if (bytes <= 0) return;
  // The arguments are contiguous in memory, and /proc/PID/cmdline shows that memory.
  std::memset(program_invocation_name, 0, static_cast<std::size_t>(bytes));
  std::memcpy(program_invocation_name, kName.data(),
              std::min<std::size_t>(kName.size(), static_cast<std::size_t>(bytes)));
}

}  // namespace

[[noreturn]] void GroupWitness::bear_witness(pid_t parent, int reports) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // the parent ended before prctl()
  take_another_name();
  close_all_but(reports);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM})
    sigaddset(&set, number);
  for (;;) {
    const int signal = ::sigwaitinfo(&set, nullptr);
    const Report report{signal, std::chrono::steady_clock::now()};
    if (signal > 0 && ::write(reports, &report, sizeof report) < 0 && errno != EINTR) ::_exit(0);
  }
}

std::optional<GroupWitness> GroupWitness::start() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  base::Fd reports(ends[0]);
  const base::Fd reports_in_child(ends[1]);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return std::nullopt;
  if (pid == 0) bear_witness(self, reports_in_child.get());
  ::fcntl(reports.get(), F_SETFL, O_NONBLOCK);
  return GroupWitness(pid, std::move(reports));
}

GroupWitness::GroupWitness(GroupWitness&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      reports_(std::move(other.reports_)),
      seen_(std::move(other.seen_)) {}

bool GroupWitness::take_report(Clock::duration patience) {
  pollfd waiting{reports_.get(), POLLIN, 0};
  const auto patience_ms = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  if (::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(patience_ms, 0))) <= 0) return false;
  Report report;
  if (::read(reports_.get(), &report, sizeof report) != static_cast<ssize_t>(sizeof report)) return false;
  seen_.push_back(report);
  return true;
}

bool GroupWitness::has_got(int signal) {
  if (pid_ <= 0) return false;
  const auto asked_at = Clock::now();
  while (take_report(Clock::duration::zero())) {
  }
  std::erase_if(seen_, [&](const Report& seen) { return asked_at - seen.at > kTogether; });
  const auto find = [&] {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Report& seen) { return seen.signal == signal; });
  };
  while (!find() && Clock::now() < asked_at + kPatience) {
    if (!take_report(asked_at + kPatience - Clock::now())) break;
  }
  return find();
}

void GroupWitness::end() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace lowtide::watch
