// Enumerators and their names.
//
// Beside each enum with names is one function, to_string(Enum): a switch over all enumerators without a
// default, so that the compiler warns of a forgotten one. The enumerators count from 0, and the function is
// empty for the value behind the last. The list of names and the way back from a name follow from it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace lowtide::model {

template <typename Type>
concept Enumeration = std::is_enum_v<Type>;

template <typename Type>
concept Named = Enumeration<Type> && requires(Type value) {
  std::string_view(to_string(value));
};

template <Named Enum>
consteval std::size_t count_of() {  // a to_string() without an end does not compile
  std::size_t count = 0;
  while (!to_string(static_cast<Enum>(count)).empty()) ++count;
  return count;
}

template <Named Enum>
constexpr std::optional<Enum> find_named(std::string_view name) {
  constexpr std::size_t kCount = count_of<Enum>();
  static_assert(kCount > 0);
  for (std::size_t at = 0; at < kCount; ++at) {
    if (to_string(static_cast<Enum>(at)) == name) return static_cast<Enum>(at);
  }
  return std::nullopt;
}

}  // namespace lowtide::model
