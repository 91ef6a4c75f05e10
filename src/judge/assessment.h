// The decision over all lives of a process that were seen.
#pragma once

#include <cstdint>
#include <span>

#include "judge/decision.h"
#include "judge/evidence.h"
#include "judge/generation.h"

namespace lowtide::judge {

struct Assessment {
  Evidence evidence;
  Decision decision;
  bool of_previous = false;            // the latest life is too short to say anything; this is the one before
  bool grew_in_both = false;           // neither life alone would do, but both grew
  std::uint64_t previous_samples = 0;  // of the life before; 0: there was none
};

// `generations` is not empty; the latest is last.
Assessment assess(std::span<const Generation> generations);

}  // namespace lowtide::judge
