// A saved snapshot of arbitrary bytes.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ingest/snapshot_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = lowtide::ingest::parse_snapshot_json({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (std::size_t at = 0; at < read.value().nodes.size(); ++at) {
    const auto& holder = read.value().nodes[at].holder;
    LOWTIDE_CHECK(!holder || *holder < at, "a holder comes before what it holds");
  }
  return 0;
}
