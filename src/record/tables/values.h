// A value of a recording, or nothing where it is absent or cannot be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/process.h"
#include "record/sqlite.h"

namespace lowtide::record {

// Longer text is cut.
inline constexpr std::size_t kTextBytes = 65'536;

bool is_time(double value);
std::optional<double> real_at(const Statement& row, int at);
std::optional<std::uint64_t> bytes_at(const Statement& row, int at);
std::optional<model::ProcessId> process_at(const Statement& row, int at);
std::optional<int> int_at(const Statement& row, int at);

// The enumerator that is written so; its underlying values count from 0.
template <typename Enum, int Count>
std::optional<Enum> named(const std::string& name) {
  for (int value = 0; value < Count; ++value) {
    if (to_string(static_cast<Enum>(value)) == name) {
      return static_cast<Enum>(value);
    }
  }
  return std::nullopt;
}

}  // namespace lowtide::record
