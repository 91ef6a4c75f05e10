#pragma once

#include <string>

namespace lowtide::console {

// An error as the user sees it: three lines, on standard error, once.
struct UserError {
  std::string what;  // "cannot read train.log: no such file"
  std::string why;   // the likeliest cause on this machine
  std::string hint;  // what to try
};

void print_error(const UserError& user_error);

// One line on standard error: the result is affected, and this says how.
void print_warning(const std::string& text);

}  // namespace lowtide::console
