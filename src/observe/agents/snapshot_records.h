// The file of a walk (wire/snapshot.h), read. Its bytes are the target's: nothing is believed.
#pragma once

#include <cstddef>
#include <span>

#include "base/fd.h"
#include "base/result.h"
#include "model/snapshot.h"

namespace lowtide::observe {

// A walk that was cut off gives what it had. Malformed: it is not such a file.
base::Result<model::Snapshot> parse_snapshot(std::span<const std::byte> file);

// The same of a file that the child has handed over.
base::Result<model::Snapshot> read_snapshot(const base::Fd& file);

}  // namespace lowtide::observe
