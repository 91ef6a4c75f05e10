#pragma once

#include "judge/evidence.h"

namespace lowtide::judge {

// Fills in the spikes of `evidence`, whose curve and start are known: those that
// recovered, how high and how long they are, and whether the floor must be read
// from minima because of them.
void find_spikes(Evidence& evidence);

}  // namespace lowtide::judge
