#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
  const char* hint = error_ == ENOSPC ? "free some space there, or write elsewhere: lowtide ... > /tmp/report"
                                      : "write elsewhere: lowtide ... > /tmp/report";
  console::print_error({fmt::format("cannot write the result: {}", std::strerror(error_)),
                        "standard output takes no more of it, so what is there is not complete", hint});
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
                            "its folder is missing, read-only or full",
                            "name a file in a folder that can be written to"};
}

}  // namespace lowtide::cli
