#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "console/user_error.h"

namespace lowtide::cli {

// Standard output. A reader that has closed its pipe (`| head`) is not an error; a full disk is.
class Output {
 public:
  Output() = default;
  ~Output() = default;
  Output(const Output&) = delete;
  Output(Output&&) = delete;
  Output& operator=(const Output&) = delete;
  Output& operator=(Output&&) = delete;

  // Buffered until flush() or until the buffer is large.
  void write(std::string_view text);
  void flush();

  // Nobody reads any more, or writing failed.
  [[nodiscard]] bool is_over() const { return closed_ || failed_; }

  // Flushes. If something could not be written, prints the error and returns false.
  bool finish();

 private:
  std::string pending_;
  bool closed_ = false;
  bool failed_ = false;
  int error_ = 0;
};

// Writes a whole file.
std::variant<std::monostate, console::UserError> write_file(const std::string& path, std::string_view text);

// Confirms a file that was written: "wrote train.html (191 kB)\n". The path is printable.
std::string wrote_line(const std::string& path);

}  // namespace lowtide::cli
