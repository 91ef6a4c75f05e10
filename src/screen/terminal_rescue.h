// Gives a terminal back when we crash: after SIGSEGV and its kin, abort(), or a failed check no
// destructor runs, and a shell in raw mode on the alternate screen is a poor place to read about it.
#pragma once

#include <termios.h>

#include <string_view>

namespace lowtide::screen {

// From now on. `sequence` is what makes the terminal itself as it was; what is too long is left out.
void begin_rescue(int fd, const termios& mode, std::string_view sequence);

void end_rescue();

}  // namespace lowtide::screen
