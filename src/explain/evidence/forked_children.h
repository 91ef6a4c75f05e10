// Whose pages are they, when a process has forked?
//
// A parent and its forked children share each page until one of them writes to it. When a child copies a
// page, or ends, the page may be the parent's alone: its private memory rises, although it allocated nothing.
// What the parent holds, shared or not, changes only when the parent allocates or frees.
#pragma once

#include "explain/evidence/evidence.h"
#include "explain/evidence/respawn_chains.h"

namespace lowtide::explain {

// `trail`: the joined one of these lives.
bool shares_pages_with_children(const Evidence& evidence, const RespawnChains& lives,
                                const RecordedSeries& trail);

}  // namespace lowtide::explain
