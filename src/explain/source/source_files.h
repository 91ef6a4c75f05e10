// The Python files of the job, read from disk when a report quotes them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "explain/source/python_source.h"

namespace lowtide::explain {

class SourceFiles {
 public:
  // No file is read: reports quote nothing.
  SourceFiles() = default;
  // Relative paths are relative to `folder`. A file that changed after `not_after_unix_s` is not the one that
  // ran.
  SourceFiles(std::string folder, double not_after_unix_s)
      : is_enabled_(true), folder_(std::move(folder)), not_after_unix_s_(not_after_unix_s) {}

  // Null: it is not there, is no Python file, is very large, or has changed since the job started.
  const PythonSource* find(const std::string& file);

  // One line of it, cut where it is very long.
  std::optional<std::string> line(const std::string& file, std::uint64_t number);

 private:
  [[nodiscard]] std::unique_ptr<PythonSource> read(const std::string& file) const;

  bool is_enabled_ = false;
  std::string folder_;
  double not_after_unix_s_ = 0;
  std::map<std::string, std::unique_ptr<PythonSource>, std::less<>> files_;
};

}  // namespace lowtide::explain
