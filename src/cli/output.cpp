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
  const char* attempt = error_ == ENOSPC
                            ? "free some space there, or write elsewhere: lowtide ... > /tmp/report"
                            : "write elsewhere: lowtide ... > /tmp/report";
  console::complain({fmt::format("cannot write the result: {}", std::strerror(error_)),
            "standard output takes no more of it, so what is there is not complete", attempt});
  return false;
}

}  // namespace lowtide::cli
