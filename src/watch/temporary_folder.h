#pragma once

#include <cstdlib>
#include <string>

namespace lowtide::watch {

// Where TMPDIR says, or /tmp.
inline std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace lowtide::watch
