#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "console/user_error.h"

namespace lowtide::cli {

// Standard output, written with care: a reader who has gone (`| head`) is no
// error and gets no words; a disk that is full is one, and does.
class Output {
 public:
  Output() = default;
  ~Output() = default;
  Output(const Output&) = delete;
  Output(Output&&) = delete;
  Output& operator=(const Output&) = delete;
  Output& operator=(Output&&) = delete;

  // Kept until there is a good deal of it, or flush().
  void write(std::string_view text);
  void flush();

  // Nobody reads, or nothing can be written: no use to go on.
  [[nodiscard]] bool is_over() const { return closed_ || failed_; }

  // Flushes; false when something could not be written, after saying so in three lines.
  bool finish();

 private:
  std::string pending_;
  bool closed_ = false;
  bool failed_ = false;
  int error_ = 0;
};

// Writes a whole file; an error where that does not work.
std::variant<std::monostate, console::UserError> write_file(const std::string& path, std::string_view text);

}  // namespace lowtide::cli
