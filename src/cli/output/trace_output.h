// A recording as a file for viewers of traces: --perfetto.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"

namespace lowtide::cli {

// Writes the trace to `where`. For "-" it returns the text, which belongs on standard output.
std::variant<std::string, console::UserError> write_trace(const std::string& path, const std::string& where);

}  // namespace lowtide::cli
