// Restores the terminal if lowtide crashes. After SIGSEGV, abort() or a failed check no destructor runs, and
// the shell would stay in raw mode on the alternate screen. SIGKILL cannot be handled: then `reset` helps.
#pragma once

#include <termios.h>

#include <string_view>

namespace lowtide::screen {

// `sequence` restores the terminal; if it is too long, it is left out.
void begin_rescue(int fd, const termios& mode, std::string_view sequence);

void end_rescue();

}  // namespace lowtide::screen
