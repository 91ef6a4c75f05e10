#include "console/user_error.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"

namespace lowtide::console {

void print_error(const UserError& user_error) {
  // Paths and values come from outside, so control characters are removed.
  const std::string text =
      fmt::format("lowtide: {}\n  why:  {}\n  try:  {}\n", base::printable(user_error.what, 1000),
                  base::printable(user_error.why, 1000), base::printable(user_error.hint, 1000));
  std::fputs(text.c_str(), stderr);
}

void print_warning(const std::string& text) {
  const std::string line = fmt::format("lowtide: warning: {}\n", base::printable(text, 1000));
  std::fputs(line.c_str(), stderr);
}

}  // namespace lowtide::console
