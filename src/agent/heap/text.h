// The few string functions that the agent needs.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

inline bool equal(const char* left, const char* right) {
  while (*left != 0 && *left == *right) {
    ++left;
    ++right;
  }
  return *left == *right;
}

// What follows `start` in `text`; null where the text does not start so.
inline const char* after(const char* text, const char* start) {
  while (*start != 0) {
    if (*text != *start) {
      return nullptr;
    }
    ++text;
    ++start;
  }
  return text;
}

inline bool contains(const char* text, const char* part) {
  for (; *text != 0; ++text) {
    if (after(text, part) != nullptr) {
      return true;
    }
  }
  return false;
}

inline std::uint64_t to_number(const char* text) {
  std::uint64_t number = 0;
  for (; *text >= '0' && *text <= '9' && number < (1ULL << 56U); ++text) {
    number = number * 10 + static_cast<std::uint64_t>(*text - '0');
  }
  return number;
}

}  // namespace lowtide::agent
