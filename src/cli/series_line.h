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
  std::uint64_t ignored = 0;  // readings that were null, NaN, negative or beyond all memory
};

// Refuses what would have to be guessed: lists that are missing, of different
// lengths, or hold something other than numbers. NaN and Infinity, which are no
// JSON but which Python writes, count as null; a reading that is null is left out.
base::Result<SeriesLine> parse_series_line(std::string_view line);

}  // namespace lowtide::cli
