#include "watch/job/output_relay.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

namespace lowtide::watch {
namespace {

void set_close_on_exec(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// O_NONBLOCK belongs to the open file, which the shell and others share with us:
// so the file is opened once more. Where that is denied (a terminal of another
// user) pieces that fit into a pipe are written when there is room.
base::Fd open_again(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  base::Fd again(::open(link.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (again.valid()) return again;
  return base::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

bool open_terminal(int like, int& ours, int& job) {
  termios mode{};
  winsize size{};
  ::tcgetattr(like, &mode);
  ::ioctl(like, TIOCGWINSZ, &size);
  // The real terminal does what is to be done to the output: here it stays as it is.
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  return ::openpty(&ours, &job, nullptr, &mode, &size) == 0;
}

bool open_pipe(int& ours, int& job) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) != 0) return false;
  ours = ends[0];
  job = ends[1];
  return true;
}

}  // namespace

OutputRelay::OutputRelay() {
  struct stat output {};
  struct stat error {};
  const bool is_one = ::fstat(STDOUT_FILENO, &output) == 0 && ::fstat(STDERR_FILENO, &error) == 0 &&
                      output.st_dev == error.st_dev && output.st_ino == error.st_ino;
  streams_.output = add(STDOUT_FILENO);
  streams_.error = is_one ? streams_.output : add(STDERR_FILENO);
}

int OutputRelay::add(int to) {
  struct stat status {};
  if (::fstat(to, &status) != 0) return -1;
  const bool is_terminal = ::isatty(to) == 1;
  const bool is_socket = S_ISSOCK(status.st_mode);
  if (!is_terminal && !is_socket && !S_ISFIFO(status.st_mode)) return -1;
  base::Fd out = open_again(to);
  int ours = -1;
  int job = -1;
  if (!out.valid() || !(is_terminal ? open_terminal(to, ours, job) : open_pipe(ours, job))) return -1;
  set_close_on_exec(ours);
  set_close_on_exec(job);
  ::fcntl(ours, F_SETFL, O_NONBLOCK);
  Channel channel{.out = std::move(out),
                  .terminal = is_terminal ? to : -1,
                  .is_socket = is_socket,
                  .ours = base::Fd(ours),
                  .job = base::Fd(job),
                  .held = {},
                  .written = 0};
  channel.held.reserve(kPieceBytes);
  channels_.push_back(std::move(channel));
  return job;
}

void OutputRelay::close_job_ends() {
  for (Channel& channel : channels_) channel.job.reset();
}

std::size_t OutputRelay::wanted(std::array<pollfd, kMostFiles>& files) const {
  std::size_t count = 0;
  for (const Channel& channel : channels_) {
    if (channel.holds()) {
      files[count++] = {.fd = channel.out.get(), .events = POLLOUT, .revents = 0};
    } else if (channel.ours.valid()) {
      files[count++] = {.fd = channel.ours.get(), .events = POLLIN, .revents = 0};
    }
  }
  return count;
}

void OutputRelay::pump(const pollfd& file, OutputSteps& steps) {
  if (file.revents == 0) return;
  for (Channel& channel : channels_) {
    if (channel.holds() && channel.out.get() == file.fd) return write_out(channel);
    if (!channel.holds() && channel.ours.valid() && channel.ours.get() == file.fd) {
      return read_from(channel, &steps);
    }
  }
}

void OutputRelay::read_from(Channel& channel, OutputSteps* steps) {
  channel.held.resize(kPieceBytes);
  channel.written = 0;
  const ssize_t got = ::read(channel.ours.get(), channel.held.data(), channel.held.size());
  const int error = errno;
  channel.held.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (got > 0) {
    if (steps != nullptr) steps->feed({channel.held.data(), channel.held.size()});
    return write_out(channel);
  }
  if (got < 0 && (error == EAGAIN || error == EINTR)) return;
  channel.ours.reset();  // closed; a pseudo-terminal reports EIO
}

void OutputRelay::write_out(Channel& channel) {
  pollfd room{.fd = channel.out.get(), .events = POLLOUT, .revents = 0};
  while (channel.holds() && ::poll(&room, 1, 0) > 0) {
    const char* const bytes = channel.held.data() + channel.written;
    const std::size_t count = std::min<std::size_t>(channel.held.size() - channel.written, PIPE_BUF);
    const ssize_t wrote = channel.is_socket
                              ? ::send(channel.out.get(), bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : ::write(channel.out.get(), bytes, count);
    if (wrote > 0) {
      channel.written += static_cast<std::size_t>(wrote);
    } else if (wrote < 0 && errno == EAGAIN) {
      return;
    } else if (wrote == 0 || errno != EINTR) {
      // The reader is gone: the job learns it at its next word, as it would from the reader itself.
      channel.held.clear();
      channel.ours.reset();
      return;
    }
  }
}

bool OutputRelay::is_done() const {
  return std::none_of(channels_.begin(), channels_.end(), [](const Channel& c) { return c.is_open(); });
}

bool OutputRelay::has_last_words() const {
  return std::any_of(channels_.begin(), channels_.end(), [](const Channel& channel) {
    if (!channel.ours.valid()) return channel.holds();
    pollfd file{.fd = channel.ours.get(), .events = POLLIN, .revents = 0};
    return ::poll(&file, 1, 0) > 0 && (file.revents & (POLLHUP | POLLERR)) != 0;
  });
}

pid_t OutputRelay::carry_on_in_background() {
  pid_t pid = 0;
  if (!is_done()) {
    pid = ::fork();
    if (pid == 0) relay_until_closed();
  }
  channels_.clear();
  return std::max(pid, 0);
}

// After a fork of a process that had threads: no allocation, no locks. Signals
// stay blocked, for the words of a job that handles one must still get out.
void OutputRelay::relay_until_closed() {
  ::prctl(PR_SET_NAME, "lowtide-relay", 0, 0, 0);
  // A program that waits for the end of these streams must wait only for the job.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, fd);
  std::array<pollfd, kMostFiles> files{};
  while (const std::size_t count = wanted(files)) {
    if (::poll(files.data(), count, -1) <= 0) continue;
    for (Channel& channel : channels_) {
      if (channel.holds()) {
        write_out(channel);
      } else if (channel.ours.valid()) {
        read_from(channel, nullptr);
      }
    }
  }
  ::_exit(0);
}

void OutputRelay::resize() {
  for (const Channel& channel : channels_) {
    winsize size{};
    if (channel.terminal >= 0 && channel.ours.valid() && ::ioctl(channel.terminal, TIOCGWINSZ, &size) == 0) {
      ::ioctl(channel.ours.get(), TIOCSWINSZ, &size);
    }
  }
}

}  // namespace lowtide::watch
