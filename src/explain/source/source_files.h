// The Python files of the job, as far as a report quotes them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "explain/source/python_source.h"

namespace lowtide::explain {

class SourceFiles {
 public:
  // Returns the text of a file, as it was when the job ran.
  using Read = std::function<std::optional<std::string>(const std::string& file)>;

  explicit SourceFiles(Read read = {}) : read_(std::move(read)) {}  // without `read` no file is known

  // Null: there is no such file.
  const PythonSource* find(const std::string& file);

  // One line of it, cut where it is very long.
  std::optional<std::string> line(const std::string& file, std::uint64_t number);

 private:
  Read read_;
  std::map<std::string, std::unique_ptr<PythonSource>, std::less<>> files_;
};

}  // namespace lowtide::explain
