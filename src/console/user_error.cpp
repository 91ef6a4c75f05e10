#include "console/user_error.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"

namespace lowtide::console {

void complain(const Complaint& complaint) {
  // Paths and values are text from outside, so nothing goes to the terminal as it came.
  const std::string text =
      fmt::format("lowtide: {}\n  why:  {}\n  try:  {}\n", base::printable(complaint.what, 1000),
                  base::printable(complaint.why, 1000), base::printable(complaint.attempt, 1000));
  std::fputs(text.c_str(), stderr);
}

void warn(const std::string& text) {
  const std::string line = fmt::format("lowtide: warning: {}\n", base::printable(text, 1000));
  std::fputs(line.c_str(), stderr);
}

}  // namespace lowtide::console
