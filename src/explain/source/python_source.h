// The text of a Python file, as far as a report quotes it: the line that allocates, the lines that store into
// a variable, the line that creates it. It is searched by lines and indentation, not parsed: a line that is
// not found is left out of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::explain {

// Lines of a file, both included, counted from 1.
struct LineRange {
  std::uint32_t first = 1;
  std::uint32_t last = 0;
};

class PythonSource {
 public:
  explicit PythonSource(std::string text);
  PythonSource(const PythonSource&) = delete;
  PythonSource(PythonSource&&) = delete;
  PythonSource& operator=(const PythonSource&) = delete;
  PythonSource& operator=(PythonSource&&) = delete;
  ~PythonSource() = default;

  // Without indentation and trailing comment; empty for a line that the file does not have.
  [[nodiscard]] std::string_view line(std::uint64_t number) const;

  [[nodiscard]] LineRange all() const { return {1, static_cast<std::uint32_t>(lines_.size())}; }

  // The innermost function around the line; all of the file where there is none.
  [[nodiscard]] LineRange function_around(std::uint64_t number) const;

  // Lines that put something into the container: `name.append(...)`, `name[key] = ...`, `name += ...`,
  // `insort(name, ...)`. A name with a dot is searched by its last attribute, whatever the object before it
  // is called; where no line stores into the attribute itself, by a variable of a function that stands for it
  // (`trace = self.traces[key]`).
  [[nodiscard]] std::vector<std::uint32_t> stores(std::string_view name, LineRange within) const;

  // Lines that assign the name from itself: `h = cell(x, h)`.
  [[nodiscard]] std::vector<std::uint32_t> carries(std::string_view name, LineRange within) const;

  // The name that the line assigns from itself; empty: there is none.
  [[nodiscard]] std::string carried_by(std::uint32_t number) const;

  // The first line that assigns the name, or the decorator of a cached function of that name.
  [[nodiscard]] std::optional<std::uint32_t> creates(std::string_view name, LineRange within) const;

  // Lines that call a function of this name, as `name(` or `module.name(`.
  [[nodiscard]] std::vector<std::uint32_t> calls(std::string_view function) const;

  // Whether the name occurs in the code.
  [[nodiscard]] bool mentions(std::string_view name) const;

  // Whether the file imports something under this name.
  [[nodiscard]] bool imports(std::string_view name) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> direct_stores(std::string_view name, LineRange within) const;
  // The variable to which the line assigns the attribute or an entry of it; empty: it does not.
  [[nodiscard]] std::string_view other_name(std::string_view name, std::uint32_t number) const;

  struct Line {
    std::string_view code;      // without indentation and comment; empty inside a text of several lines
    std::string_view searched;  // the same, with blanks in the place of texts
    std::size_t indent = 0;
  };

  std::string text_;
  std::string searched_;  // the same bytes, with blanks in the place of texts
  std::vector<Line> lines_;
};

}  // namespace lowtide::explain
