#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lowtide::cli {

// Lines of a file, one at a time, of at most kLongest bytes each.
class LineReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 29U;  // 512 MiB: about 20 million readings

  explicit LineReader(int fd) : fd_(fd) {}

  enum class Status { Line, TooLong, End, Failed };

  // The next line is in line(), without its end, until the next call.
  Status next();
  [[nodiscard]] std::string_view line() const { return line_; }

  // After Failed: errno.
  [[nodiscard]] int error() const { return error_; }

 private:
  bool fill();

  int fd_;
  std::string chunk_;
  std::size_t at_ = 0;
  std::string line_;
  bool end_ = false;
  int error_ = 0;
};

}  // namespace lowtide::cli
