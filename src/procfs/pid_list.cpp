#include "procfs/pid_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

constexpr std::size_t kBufferBytes = 32768;
constexpr std::size_t kNameOffset = offsetof(dirent64, d_name);

}  // namespace

PidList::PidList(Roots roots) : roots_(std::move(roots)), buffer_(kBufferBytes) {}

bool PidList::refresh() {
  pids_.clear();
  if (!folder_.valid()) {
    folder_ = base::Fd(::open(roots_.proc.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  if (!folder_.valid() || ::lseek(folder_.get(), 0, SEEK_SET) < 0) {
    return false;
  }
  while (true) {
    const ssize_t got = ::getdents64(folder_.get(), buffer_.data(), buffer_.size());
    if (got < 0) {
      pids_.clear();
      return false;
    }
    if (got == 0) {
      break;
    }
    take_entries(static_cast<std::size_t>(got));
  }
  // The kernel lists them in order; a folder of a test does not.
  if (!std::is_sorted(pids_.begin(), pids_.end())) {
    std::sort(pids_.begin(), pids_.end());
  }
  return true;
}

void PidList::take_entries(std::size_t length) {
  std::size_t at = 0;
  while (at + kNameOffset < length) {
    unsigned short entry_length = 0;
    std::memcpy(&entry_length, buffer_.data() + at + offsetof(dirent64, d_reclen), sizeof(entry_length));
    if (entry_length <= kNameOffset || entry_length > length - at) {
      return;
    }
    const char* name = reinterpret_cast<const char*>(buffer_.data()) + at + kNameOffset;
    std::string_view text(name, ::strnlen(name, entry_length - kNameOffset));
    std::int32_t pid = 0;
    if (!text.empty() && text.front() >= '1' && text.front() <= '9' && take_number(text, pid) &&
        text.empty()) {
      pids_.push_back(pid);
    }
    at += entry_length;
  }
}

std::int64_t read_highest_pid(const Roots& roots) {
  constexpr std::int64_t kHighest = std::int64_t{1} << 22U;
  const auto text = read_text(roots.proc + "/sys/kernel/pid_max");
  std::int64_t highest = 0;
  std::string_view words = text ? std::string_view(text.value()) : std::string_view();
  return take_number(words, highest) && highest > 0 && highest <= kHighest ? highest : kHighest;
}

}  // namespace lowtide::procfs
