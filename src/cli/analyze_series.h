#pragma once

#include <string>

#include "cli/exit_code.h"

namespace lowtide::cli {

// `analyze --series FILE`: judges many series, one a line, and prints one line
// for each as it goes.
ExitCode analyze_series(const std::string& path, bool as_json);

}  // namespace lowtide::cli
