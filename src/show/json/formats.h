// How a value is written, where its C++ type does not say that alone.
#pragma once

#include <cstdint>
#include <string>

#include "show/json/texts.h"
#include "show/json/values.h"

namespace lowtide::show {

template <int Digits>
struct Rounded {
  double value;
  [[nodiscard]] Json json() const { return number(value, Digits); }
  static TypeText type() { return {.kind = TypeText::Kind::Number}; }
};
using Number = Rounded<6>;
using Seconds = Rounded<9>;  // from the start: microseconds of an hour

// Null where it is infinite.
struct FiniteNumber {
  double value;
  [[nodiscard]] Json json() const { return number(value); }
  static TypeText type() { return {.kind = TypeText::Kind::Number, .is_nullable = true}; }
};

// 0..1
struct Share {
  double value;
  [[nodiscard]] Json json() const { return share(value); }
  static TypeText type() { return {.kind = TypeText::Kind::Number}; }
};

struct StepNumber {
  double value;
  [[nodiscard]] Json json() const { return step_number(value); }
  static TypeText type() { return {.kind = TypeText::Kind::Number}; }
};

struct WholeBytes {
  double value;
  [[nodiscard]] Json json() const { return bytes_number(value); }
  static TypeText type() { return {.kind = TypeText::Kind::Integer}; }
};

// Null where it is empty.
struct NonEmpty {
  const std::string& text;
  [[nodiscard]] Json json() const { return text_or_null(text); }
  static TypeText type() { return {.kind = TypeText::Kind::String, .is_nullable = true}; }
};

// Null where it is 0: a line, a size.
struct NonZero {
  std::uint64_t value;
  [[nodiscard]] Json json() const { return value > 0 ? Json(value) : Json(nullptr); }
  static TypeText type() { return {.kind = TypeText::Kind::Integer, .is_nullable = true}; }
};

}  // namespace lowtide::show
