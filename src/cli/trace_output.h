// A recording as a file for viewers of traces: --perfetto.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"

namespace lowtide::cli {

// Writes it to `where`; what goes to standard output ("-") is returned.
std::variant<std::string, console::UserError> write_trace(const std::string& path, const std::string& where);

}  // namespace lowtide::cli
