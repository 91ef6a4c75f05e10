// A snapshot that `lowtide snapshot --json` has written, read again. A user may have edited it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/snapshot.h"

namespace lowtide::ingest {

// Malformed: it is not such a file, and why.
base::Result<model::Snapshot> parse_snapshot_json(std::string_view text);

}  // namespace lowtide::ingest
