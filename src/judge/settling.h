// What a series that no longer rises has settled to.
#pragma once

#include <cstddef>
#include <optional>

#include "judge/evidence.h"
#include "model/verdict.h"

namespace lowtide::judge {

struct Settled {
  model::VerdictKind kind = model::VerdictKind::Stable;  // warmup, spikes or stable
  double plateau = 0;
  double rise = 0;                        // from the first level to the plateau
  std::optional<std::size_t> warmup_end;  // point of the curve
};

Settled settle(const Evidence& evidence);

}  // namespace lowtide::judge
