#pragma once

#include <string>
#include <utility>
#include <variant>

namespace lowtide::base {

// Gone: it is not there. Ended: a process that was there.
enum class ErrorCode { Gone, Ended, Denied, Malformed, Unsupported, Io };

struct Error {
  ErrorCode code = ErrorCode::Io;
  std::string message;  // lower case, no full stop, names the object at fault

  // Adds the caller's view in front: "read smaps of 4711: permission denied".
  [[nodiscard]] Error within(const std::string& context) && {
    return {code, context + ": " + std::move(message)};
  }
};

// What may happen is a value: either a T or the Error that stood in its way.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): reads as `return value;`
  Result(T value) : state_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): reads as `return error;`
  Result(Error error) : state_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& { return std::get<T>(state_); }
  [[nodiscard]] T& value() & { return std::get<T>(state_); }
  [[nodiscard]] T&& value() && { return std::get<T>(std::move(state_)); }
  [[nodiscard]] const Error& error() const& { return std::get<Error>(state_); }
  [[nodiscard]] Error&& error() && { return std::get<Error>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace lowtide::base
