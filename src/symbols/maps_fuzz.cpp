// /proc/PID/maps on arbitrary bytes: names in it come from the job.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "symbols/maps.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace symbols = lowtide::symbols;
  const auto mappings = symbols::parse_maps({reinterpret_cast<const char*>(data), size});
  if (!mappings) {
    return 0;
  }
  std::uint64_t end = 0;
  for (const symbols::Mapping& mapping : mappings.value()) {
    LOWTIDE_CHECK(mapping.start >= end && mapping.start < mapping.end, "mappings are ordered and apart");
    LOWTIDE_CHECK(symbols::find_mapping(mappings.value(), mapping.start) == &mapping,
                  "its first byte is found");
    LOWTIDE_CHECK(symbols::find_mapping(mappings.value(), mapping.end - 1) == &mapping,
                  "its last byte is found");
    end = mapping.end;
  }
  LOWTIDE_CHECK(symbols::find_mapping(mappings.value(), end) == nullptr, "nothing lies behind the last");
  return 0;
}
