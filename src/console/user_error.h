#pragma once

#include <string>

namespace lowtide::console {

// An error as the user sees it: three lines, on standard error, once.
struct Complaint {
  std::string what;     // "cannot read train.log: no such file"
  std::string why;      // the likeliest cause on this machine
  std::string attempt;  // what to try
};

void complain(const Complaint& complaint);

// One line on standard error: the result is affected, and this says how.
void warn(const std::string& text);

}  // namespace lowtide::console
