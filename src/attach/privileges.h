#pragma once

#include <sys/types.h>

#include <string>

namespace lowtide::attach {

// A hint for a command that needs more privileges. Root lacks them only in a container, and "as root" would
// not help there.
inline std::string with_privileges(const std::string& command, uid_t user) {
  return user == 0 ? "grant CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE), then: " + command
                   : "as root: " + command;
}

}  // namespace lowtide::attach
