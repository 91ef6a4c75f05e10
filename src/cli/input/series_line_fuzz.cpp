// Any bytes as a line of `analyze --series`: refused or read, never a crash, and
// what was read is memory that can be.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.h"
#include "cli/input/series_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto series = lowtide::cli::parse_series_line(line);
  if (series.ok()) {
    // The id goes into our own output as it is.
    LOWTIDE_CHECK(nlohmann::json::accept(series.value().id_json), "an id that is no JSON");
    LOWTIDE_CHECK(series.value().id_json.find('\n') == std::string::npos, "an id that breaks the line");
  }
  return 0;
}
