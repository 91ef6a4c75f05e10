#pragma once

#include <string>

namespace lowtide::console {

// An error for the user: three lines on standard error.
struct UserError {
  std::string what;  // "cannot read train.log: no such file"
  std::string why;   // the most likely cause on this machine
  std::string hint;  // what to try
};

void print_error(const UserError& user_error);

// One line on standard error that states how the result is affected.
void print_warning(const std::string& text);

}  // namespace lowtide::console
