// The versions of cpython.h in words, for messages and documents; not for the agent.

#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "wire/cpython.h"

namespace lowtide::wire {

// "3.11" of 0x030b
inline std::string python_name(std::uint32_t number) {
  return std::to_string(number >> 8U & 0xffU) + "." + std::to_string(number & 0xffU);
}

// Of "3.11"
inline bool knows_python(std::string_view name) {
  return std::any_of(std::begin(kPythons), std::end(kPythons),
                     [&](const PythonVersion& python) { return python_name(python.number) == name; });
}

// "3.9 to 3.14"
inline std::string known_pythons() {
  return python_name(std::begin(kPythons)->number) + " to " + python_name(std::rbegin(kPythons)->number);
}

}  // namespace lowtide::wire
