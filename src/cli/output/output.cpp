#include "cli/output/output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "base/units.h"
#include "console/user_error.h"

namespace lowtide::cli {

void Output::write(std::string_view text) {
  constexpr std::size_t kEnough = 1U << 16U;
  if (is_over()) return;
  pending_ += text;
  if (pending_.size() >= kEnough) flush();
}

void Output::flush() {
  std::string_view rest = pending_;
  while (!rest.empty() && !is_over()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      failed_ = true;
      error_ = errno;
    }
  }
  pending_.clear();
}

bool Output::finish() {
  flush();
  if (!failed_) return true;
  const char* hint = error_ == ENOSPC
                         ? "free some space, or write to another place: lowtide ... > /tmp/report"
                         : "write to another place: lowtide ... > /tmp/report";
  console::print_error({fmt::format("cannot write the result: {}", std::strerror(error_)),
                        "writing to standard output failed, so the output is incomplete", hint});
  return false;
}

std::variant<std::monostate, console::UserError> write_file(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool whole = file != nullptr;
  int error = errno;
  if (file != nullptr) {
    whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    error = errno;
    if (std::fclose(file) != 0 && whole) {
      whole = false;
      error = errno;
    }
  }
  if (whole) return std::monostate{};
  return console::UserError{fmt::format("cannot write {}: {}", path, std::strerror(error)),
                            "its folder does not exist, is read-only or is full",
                            "choose a file in a folder that you can write to"};
}

std::string wrote_line(const std::string& path) {
  struct stat status {};
  const bool has_size = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  const std::string size =
      has_size ? fmt::format(" ({})", base::format_bytes(static_cast<double>(status.st_size))) : "";
  return fmt::format("wrote {}{}\n", base::printable(path, 1000), size);
}

}  // namespace lowtide::cli
