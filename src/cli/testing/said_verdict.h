// What every reader of a recording says about the job at one moment: the printed report, the status line, the
// screen, and `/metrics` and `/report.json` of `serve`. Each reads the file for itself, as in a real run.
#pragma once

#include <string>
#include <vector>

#include "model/report.h"

namespace lowtide::cli {

struct SaidVerdict {
  model::Report report = {};
  std::vector<std::string> disagreements =
      {};  // "the status line: ...": what differs from the printed report
};

// `now_unix_s` decides whether the run goes on.
SaidVerdict said_by_all(const std::string& path, double now_unix_s);

// The same at the moment of the last reading in the file.
SaidVerdict said_by_all_at_the_end_of(const std::string& path);

}  // namespace lowtide::cli
