#include "watch/job/output_steps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "model/sample.h"
#include "procfs/process_info.h"

namespace lowtide::watch {
namespace {

constexpr std::size_t kMostStreams = 8;
constexpr off_t kLookBack = off_t{256} * 1024;
constexpr std::size_t kReadAtOnce = std::size_t{64} * 1024;
// A job that writes faster than this between two ticks is caught up with at the end of its file.
constexpr off_t kMostPerTick = off_t{4} * 1024 * 1024;

}  // namespace

OutputSteps::OutputSteps(procfs::Roots roots) : roots_(std::move(roots)), buffer_(kReadAtOnce) {}

void OutputSteps::note_beginnings(const JobStreams& streams) {
  for (const int number : {streams.output < 0 ? STDOUT_FILENO : streams.output,
                           streams.error < 0 ? STDERR_FILENO : streams.error}) {
    struct stat status {};
    if (::fstat(number, &status) == 0 && S_ISREG(status.st_mode))
      beginnings_.push_back({{status.st_dev, status.st_ino}, status.st_size});
  }
}

off_t OutputSteps::beginning_of(const Identity& file, off_t size) const {
  const auto noted = std::find_if(beginnings_.begin(), beginnings_.end(),
                                  [&](const Beginning& beginning) { return beginning.file == file; });
  return noted == beginnings_.end() ? size : std::min(noted->at, size);
}

void OutputSteps::consider(pid_t pid, bool just_started) {
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    if (streams_.size() >= kMostStreams) return;
    const auto found = procfs::read_fd_target(roots_, pid, number);
    if (!found || !found.value().regular) continue;
    const procfs::FdTarget& target = found.value();
    const Identity file{target.device, target.inode};
    if (std::find(seen_.begin(), seen_.end(), file) != seen_.end()) continue;
    seen_.push_back(file);
    // Through the descriptor: it leads to the file also after a rename.
    const std::string link = fmt::format("{}/{}/fd/{}", roots_.proc, pid, number);
    base::Fd fd(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0) continue;
    const off_t from =
        just_started ? beginning_of(file, status.st_size) : std::max<off_t>(0, status.st_size - kLookBack);
    streams_.push_back({target.path, std::move(fd), from, {}});
  }
}

double OutputSteps::refresh() {
  for (Stream& stream : streams_) read_new(stream);
  std::optional<double> step = piped_.step();
  for (const Stream& stream : streams_) {
    if (const auto found = stream.follower.step(); found && (!step || *found > *step)) step = found;
  }
  return step.value_or(model::kUnknown);
}

void OutputSteps::read_new(Stream& stream) {
  struct stat status {};
  if (::fstat(stream.fd.get(), &status) != 0) return;
  if (status.st_size < stream.at) stream.at = 0;  // truncated: a log that was rotated in place
  if (status.st_size - stream.at > kMostPerTick) stream.at = status.st_size - kMostPerTick;
  while (stream.at < status.st_size) {
    const ssize_t got = ::pread(stream.fd.get(), buffer_.data(), buffer_.size(), stream.at);
    if (got <= 0) return;
    stream.at += got;
    stream.follower.feed({buffer_.data(), static_cast<std::size_t>(got)});
  }
}

std::vector<std::string> OutputSteps::paths() const {
  std::vector<std::string> paths;
  paths.reserve(streams_.size());
  for (const Stream& stream : streams_) paths.push_back(stream.path);
  return paths;
}

}  // namespace lowtide::watch
