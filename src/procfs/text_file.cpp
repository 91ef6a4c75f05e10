#include "procfs/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace lowtide::procfs {
namespace {

constexpr std::size_t kLargestText = 1U << 20U;

ssize_t pread_again(int fd, char* into, std::size_t length, std::size_t offset) {
  ssize_t got = 0;
  do {
    got = ::pread(fd, into, length, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

base::Error make_system_error(int error_number, std::string_view name) {
  base::ErrorCode code = base::ErrorCode::Io;
  switch (error_number) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
      code = base::ErrorCode::Gone;
      break;
    case EACCES:
    case EPERM:
      code = base::ErrorCode::Denied;
      break;
    case EOPNOTSUPP:
    case ENOSYS:
      code = base::ErrorCode::Unsupported;
      break;
    default:
      break;
  }
  std::string reason = std::generic_category().message(error_number);
  if (!reason.empty() && reason.front() >= 'A' && reason.front() <= 'Z') {
    reason.front() = static_cast<char>(reason.front() - 'A' + 'a');
  }
  return {code, std::string(name) + ": " + reason};
}

base::Result<std::string_view> TextBuffer::read(int fd, const char* name) {
  ssize_t got = pread_again(fd, small_.data(), small_.size(), 0);
  if (got < 0) {
    return make_system_error(errno, name);
  }
  if (static_cast<std::size_t>(got) < small_.size()) {
    return std::string_view(small_.data(), static_cast<std::size_t>(got));
  }
  std::size_t length = 0;
  large_.resize(4 * small_.size());
  while ((got = pread_again(fd, large_.data() + length, large_.size() - length, length)) > 0) {
    length += static_cast<std::size_t>(got);
    if (length == large_.size()) {
      if (length >= kLargestText) {
        break;
      }
      large_.resize(std::min(2 * length, kLargestText));
    }
  }
  if (got < 0) {
    return make_system_error(errno, name);
  }
  return std::string_view(large_.data(), length);
}

base::Result<base::Fd> open_text(int folder, const char* path) {
  base::Fd fd(::openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.valid()) {
    return make_system_error(errno, path);
  }
  return fd;
}

base::Result<std::string_view> KeptText::read(TextBuffer& buffer) {
  if (!file_.valid()) {
    auto opened = open_text(AT_FDCWD, path_.c_str());
    if (!opened) {
      return std::move(opened).error();
    }
    file_ = std::move(opened).value();
  }
  auto text = buffer.read(file_.get(), path_.c_str());
  if (!text) {
    file_.reset();
  }
  return text;
}

base::Result<std::string> read_text(const std::string& path, std::size_t max_bytes) {
  auto fd = open_text(AT_FDCWD, path.c_str());
  if (!fd) {
    return std::move(fd).error();
  }
  std::string text;
  std::size_t length = 0;
  while (length < max_bytes) {
    text.resize(std::min(max_bytes, std::max<std::size_t>(4096, 2 * length)));
    const ssize_t got = ::read(fd.value().get(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return make_system_error(errno, path);
    }
    if (got == 0) {
      break;
    }
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

}  // namespace lowtide::procfs
