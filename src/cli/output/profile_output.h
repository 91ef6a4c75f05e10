// The stacks of a recording as files for other tools: --pprof and --folded.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/flag.h"
#include "console/user_error.h"

namespace lowtide::cli {

struct ProfileFlags {
  std::optional<std::string> pprof = {};  // where it goes; "-" is standard output
  std::optional<std::string> folded = {};
  bool growth = false;
  bool live = false;
  bool allocated = false;

  [[nodiscard]] bool any() const { return pprof || folded; }
  [[nodiscard]] bool to_output() const { return pprof == "-" || folded == "-"; }
};

console::Flags<ProfileFlags> profile_flags();

// Flags that exclude each other. `prints`: the report goes to standard output too.
std::optional<console::UserError> find_conflict(const ProfileFlags& flags, bool prints);

// Reads the recording again and writes the requested files. Returns the text that belongs on standard output.
std::variant<std::string, console::UserError> write_profiles(const std::string& path,
                                                             const ProfileFlags& flags);

}  // namespace lowtide::cli
