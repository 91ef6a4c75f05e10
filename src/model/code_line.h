// A line of the job's code that a finding is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::model {

enum class LineRole { Allocates, Stores, Creates };

struct CodeLine {
  LineRole role = LineRole::Allocates;
  std::string file;
  std::uint64_t line = 0;
  std::string function = {};
  // Its text without indentation and trailing comment; absent where the recording has no copy of the file.
  std::optional<std::string> source = {};
};

// "train.py:30", without the folder.
inline std::string place_of(const CodeLine& code) {
  std::string place = code.file.substr(code.file.rfind('/') + 1);
  if (code.line > 0) place += ":" + std::to_string(code.line);
  return place;
}

constexpr std::string_view to_string(LineRole role) {
  switch (role) {
    case LineRole::Allocates:
      return "allocates";
    case LineRole::Stores:
      return "stores";
    case LineRole::Creates:
      return "creates";
  }
  return {};
}

}  // namespace lowtide::model
