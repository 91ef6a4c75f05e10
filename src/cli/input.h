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

// Opens a file to read, or says why not: gone (with the nearest name beside
// it), a folder, not allowed (with owner and mode).
std::variant<Input, console::UserError> open_input(const std::string& path);

// What else can stand in the way once it is open.
console::UserError nothing_in(const std::string& path);

// The name for people: "standard input" for "-".
std::string input_name(const std::string& path);

}  // namespace lowtide::cli
