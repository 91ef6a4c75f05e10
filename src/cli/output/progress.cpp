#include "cli/output/progress.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string line_of(int fd, const std::string& name, double seconds) {
  const off_t offset = ::lseek(fd, 0, SEEK_CUR);
  if (offset < 0) return fmt::format("reading {} ... {:.0f} s", name, seconds);  // a pipe has no offset
  const auto done = static_cast<double>(offset);
  struct stat status {};
  const bool sized = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  const std::string total = sized ? " of " + base::format_bytes(static_cast<double>(status.st_size)) : "";
  return fmt::format("reading {}: {}{}, {}/s", name, base::format_bytes(done), total,
                     base::format_bytes(done / seconds));
}

}  // namespace

Progress::Progress(int fd, const std::string& name) : fd_(fd), name_(base::printable(name, 40)) {
  if (::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { watch(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  done_changed_.notify_one();
  thread_.join();
}

void Progress::watch() {
  const auto begin = Clock::now();
  auto wait = std::chrono::milliseconds(1000);
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!done_changed_.wait_for(lock, wait, [this] { return done_; })) {
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    const std::string line = "\r\x1b[K" + line_of(fd_, name_, elapsed.count());
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    shown = true;
    wait = std::chrono::milliseconds(200);
  }
  if (shown) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
}

}  // namespace lowtide::cli
