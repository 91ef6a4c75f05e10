// A walk's file of random bytes behind a header that makes sense.

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "observe/agents/snapshot_records.h"
#include "wire/snapshot.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = lowtide::wire;
  std::vector<std::byte> bytes(sizeof(wire::SnapshotHeader) + size);
  wire::SnapshotHeader header{};
  header.magic = wire::kSnapshotMagic;
  header.version = wire::kSnapshotVersion;
  header.used_bytes = bytes.size() + (size > 0 ? data[0] : 0);
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (size > 0) std::memcpy(bytes.data() + sizeof(header), data, size);
  const auto read = lowtide::observe::parse_snapshot(bytes);
  if (!read) return 0;
  for (std::size_t at = 0; at < read.value().nodes.size(); ++at) {
    const auto& holder = read.value().nodes[at].holder;
    LOWTIDE_CHECK(!holder || *holder < at, "a holder comes before what it holds");
  }
  return 0;
}
