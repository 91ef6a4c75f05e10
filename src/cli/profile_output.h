// The stacks of a recording as files for other tools: --pprof and --folded.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "console/user_error.h"
#include "model/site_report.h"

namespace lowtide::cli {

struct ProfileFlags {
  std::optional<std::string> pprof;  // where it goes; "-" is standard output
  std::optional<std::string> folded;
  std::optional<model::ProfileValue> value;  // absent: growth where there is some

  [[nodiscard]] bool any() const { return pprof || folded; }
  [[nodiscard]] bool to_output() const { return pprof == "-" || folded == "-"; }
};

// --pprof, --folded, --growth, --live, --allocated
std::vector<Flag> profile_flags();

std::variant<ProfileFlags, console::UserError> parse_profile_flags(const Arguments& arguments);

// Reads the recording again and writes what was asked for; what goes to standard output is returned.
std::variant<std::string, console::UserError> write_profiles(const std::string& path,
                                                             const ProfileFlags& flags);

}  // namespace lowtide::cli
