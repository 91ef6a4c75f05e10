// Labelled series as JSON lines, in the fields of the study's corpora (docs/bench.md).
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verdict/series.h"

namespace lowtide::bench {

// One line without its line feed. Numbers keep nine significant digits: 4 kB in a TB.
std::string to_json_line(const Series& series);

// Takes "warmup" and "warmup_plateau" for the same kind; `step`, `accept`, `family` and all
// of the truth but `label` may be absent.
base::Result<Series> parse_json_line(std::string_view line);

// Every line of `in`; the first that cannot be read is the error.
base::Result<std::vector<Series>> read_corpus(std::istream& in);

}  // namespace lowtide::bench
