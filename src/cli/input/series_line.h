// One line of `analyze --series` (the contract, "Many series at once"):
// {"id": ..., "t": [s...], "step": [n|null...], "rss_mb": [...]}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sample.h"

namespace lowtide::cli {

struct SeriesLine {
  std::string id_json = "null";  // as it was written
  std::vector<model::Sample> samples;
  std::uint64_t ignored = 0;  // readings that are null, NaN, negative or too large
};

// Refuses lists that are missing, have different lengths or contain anything but numbers. NaN and Infinity
// are not JSON, but Python writes them; they count as null. A reading that is null is left out.
base::Result<SeriesLine> parse_series_line(std::string_view line);

}  // namespace lowtide::cli
