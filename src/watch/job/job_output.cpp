#include "watch/job/job_output.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/text.h"
#include "screen/job_words.h"
#include "watch/temporary_folder.h"

namespace lowtide::watch {
namespace {

constexpr std::size_t kTailBytes = 65536;
constexpr std::size_t kLinesOfFailure = 15;

// Never an existing file: it may belong to somebody.
base::Fd create(const std::string& path) {
  return base::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
}

}  // namespace

base::Result<JobOutput> JobOutput::open() {
  JobOutput output;
  if (::isatty(STDIN_FILENO) == 1) {
    output.nothing_ = base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    output.streams_.input = output.nothing_.get();
  }
  const bool turns_output = ::isatty(STDOUT_FILENO) == 1;
  const bool turns_error = ::isatty(STDERR_FILENO) == 1;
  if (!turns_output && !turns_error) return output;
  const std::string name =
      fmt::format("lowtide-{:%Y%m%d-%H%M%S}-{}.out", fmt::localtime(std::time(nullptr)), ::getpid());
  int error = 0;
  for (const std::string& path : {name, temporary_folder() + "/" + name}) {
    output.file_ = create(path);
    error = errno;
    if (!output.file_.valid()) continue;
    output.path_ = path;
    if (turns_output) output.streams_.output = output.file_.get();
    if (turns_error) output.streams_.error = output.file_.get();
    return output;
  }
  return base::Error{base::ErrorCode::Io, fmt::format("cannot write {}: {}", name, std::strerror(error))};
}

std::vector<std::string> JobOutput::last_lines(std::size_t most) const {
  struct stat status {};
  if (!file_.valid() || ::fstat(file_.get(), &status) != 0 || status.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  std::string tail(std::min(size, kTailBytes), '\0');
  const ssize_t got = ::pread(file_.get(), tail.data(), tail.size(), static_cast<off_t>(size - tail.size()));
  tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return screen::last_lines(tail, most);
}

void JobOutput::print_end(bool job_failed) {
  if (path_.empty() || is_printed_) return;
  is_printed_ = true;
  std::string text;
  if (job_failed) {
    const auto lines = last_lines(kLinesOfFailure);
    if (!lines.empty()) text += "the job failed; its last output:\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
  }
  text += fmt::format("output: {}\n", base::printable(path_));
  std::fputs(text.c_str(), stderr);
}

void JobOutput::remove_if_empty() {
  struct stat status {};
  if (path_.empty() || ::fstat(file_.get(), &status) != 0 || status.st_size > 0) return;
  ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace lowtide::watch
