#include "cli/output_relay.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace lowtide::cli {
namespace {

void set_close_on_exec(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// All of it: a reader who is slow slows the job down, as it would without us.
void write_all(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t wrote = ::write(fd, bytes, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      pollfd file{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&file, 1, -1);
      continue;
    }
    if (wrote <= 0) return;
    bytes += wrote;
    count -= static_cast<std::size_t>(wrote);
  }
}

}  // namespace

OutputRelay::OutputRelay() {
  add(STDOUT_FILENO);
  add(STDERR_FILENO);
}

void OutputRelay::add(int to) {
  struct stat status {};
  if (::fstat(to, &status) != 0) return;
  const bool is_terminal = ::isatty(to) == 1;
  if (!is_terminal && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return;
  int ours = -1;
  int job = -1;
  if (is_terminal) {
    termios mode{};
    winsize size{};
    ::tcgetattr(to, &mode);
    ::ioctl(to, TIOCGWINSZ, &size);
    // The real terminal does what is to be done to the output: here it stays as it is.
    mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    if (::openpty(&ours, &job, nullptr, &mode, &size) != 0) return;
  } else {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) != 0) return;
    ours = ends[0];
    job = ends[1];
  }
  set_close_on_exec(ours);
  set_close_on_exec(job);
  ::fcntl(ours, F_SETFL, O_NONBLOCK);
  channels_.push_back({to, base::Fd(ours), base::Fd(job), is_terminal});
}

JobStreams OutputRelay::job_streams() const {
  JobStreams streams;
  for (const Channel& channel : channels_) {
    (channel.to == STDOUT_FILENO ? streams.output : streams.error) = channel.job.get();
  }
  return streams;
}

void OutputRelay::close_job_ends() {
  for (Channel& channel : channels_) channel.job.reset();
}

std::vector<int> OutputRelay::fds() const {
  std::vector<int> fds;
  fds.reserve(channels_.size());
  for (const Channel& channel : channels_) {
    if (channel.ours.valid()) fds.push_back(channel.ours.get());
  }
  return fds;
}

bool OutputRelay::pump(int fd, OutputSteps& steps) {
  std::array<char, 16384> buffer{};
  for (Channel& channel : channels_) {
    if (channel.ours.get() != fd) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      write_all(channel.to, buffer.data(), static_cast<std::size_t>(got));
      steps.feed({buffer.data(), static_cast<std::size_t>(got)});
      return true;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    channel.ours.reset();  // closed; a pseudo-terminal says EIO
    return false;
  }
  return false;
}

void OutputRelay::drain(OutputSteps& steps) {
  for (const int fd : fds()) {
    pollfd file{.fd = fd, .events = POLLIN, .revents = 0};
    while (::poll(&file, 1, 0) > 0 && pump(fd, steps)) {
    }
  }
}

void OutputRelay::resize() {
  for (const Channel& channel : channels_) {
    winsize size{};
    if (channel.is_terminal && channel.ours.valid() && ::ioctl(channel.to, TIOCGWINSZ, &size) == 0) {
      ::ioctl(channel.ours.get(), TIOCSWINSZ, &size);
    }
  }
}

}  // namespace lowtide::cli
