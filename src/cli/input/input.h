#pragma once

#include <string>
#include <utility>
#include <variant>

#include "console/user_error.h"

namespace lowtide::cli {

// An open file that closes itself; standard input ("-") stays open.
class Input {
 public:
  Input(int fd, bool owned) : fd_(fd), owned_(owned) {}
  Input(Input&& other) noexcept : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  Input& operator=(Input&&) = delete;
  ~Input();

  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

enum class InputKind { Log, Recording };

// Opens a file for reading. The error states whether the file is missing (and suggests the nearest name), is
// a folder, or may not be read (with owner and mode). The suggested command depends on `kind`.
std::variant<Input, console::UserError> open_input(const std::string& path, InputKind kind = InputKind::Log);

// The error for an empty file.
console::UserError nothing_in(const std::string& path);

// The name that messages use: "standard input" for "-".
std::string input_name(const std::string& path);

}  // namespace lowtide::cli
