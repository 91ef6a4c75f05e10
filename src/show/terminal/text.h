#pragma once

#include <cstddef>
#include <string>

#include "model/report.h"

namespace lowtide::show {

struct TextOptions {
  std::size_t width = 80;
  bool unicode = true;
  bool colour = false;
  bool plot = true;
  bool brief = false;   // the answer and the fix only
  bool stacks = false;  // whole stacks of the lines that allocate
  bool all = false;     // everything that is known, not only the answer and its evidence
};

// The report for a person at a terminal. The first line is the answer. Nothing
// that comes from the log reaches the terminal as anything but text.
std::string to_text(const model::Report& report, const TextOptions& options);

// The line above a report when several are printed: what it is of.
std::string to_text_title(const model::Report& report, const TextOptions& options);

}  // namespace lowtide::show
