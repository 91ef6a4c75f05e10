#include "cli/input/line_reader.h"

#include <unistd.h>

#include <cerrno>

namespace lowtide::cli {

bool LineReader::fill() {
  constexpr std::size_t kChunk = std::size_t{1} << 18U;
  chunk_.resize(kChunk);
  at_ = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd_, chunk_.data(), chunk_.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) error_ = errno;
  chunk_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  end_ = count <= 0;
  return count > 0;
}

LineReader::Status LineReader::next() {
  line_.clear();
  bool too_long = false;
  bool anything = false;
  while (true) {
    if (at_ == chunk_.size()) {
      if (end_ || !fill()) {
        if (error_ != 0) return Status::Failed;
        if (!anything) return Status::End;
        break;
      }
    }
    anything = true;
    const std::string_view rest = std::string_view(chunk_).substr(at_);
    const std::size_t end = rest.find('\n');
    const std::string_view piece = rest.substr(0, end);
    too_long = too_long || line_.size() + piece.size() > kLongest;
    if (too_long) {
      line_.clear();
      line_.shrink_to_fit();
    } else {
      line_ += piece;
    }
    at_ += piece.size();
    if (end != std::string_view::npos) {
      ++at_;
      break;
    }
  }
  return too_long ? Status::TooLong : Status::Line;
}

}  // namespace lowtide::cli
