#pragma once

#include <string>

#include "console/exit_code.h"

namespace lowtide::cli {

struct SeriesOptions {
  bool as_json = false;
  bool running = false;  // the runs have not ended
};

// `analyze --series FILE`: judges many series, one per line, and prints one line for each as soon as it is
// read.
console::ExitCode analyze_series(const std::string& path, const SeriesOptions& options);

}  // namespace lowtide::cli
