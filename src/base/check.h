#pragma once

namespace lowtide::base {

// Ends the tool with exit code 70 and says where: a bug in lowtide, never of the
// user or the target.
[[noreturn]] void fail_check(const char* file, int line, const char* what);

// Called before the message is printed, to restore the terminal. Null: nothing.
void set_last_act(void (*act)());

}  // namespace lowtide::base

// For what must not happen. What may happen is a base::Result.
#define LOWTIDE_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::lowtide::base::fail_check(__FILE__, __LINE__, what))
