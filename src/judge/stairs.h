#pragma once

#include "judge/evidence.h"

namespace lowtide::judge {

// Fills in the stairs of `evidence`, whose floors are known: rises that were not
// taken back, and the pauses between them. A leak per epoch or per evaluation
// looks flat for most of the time, and its next pause like an end.
void find_stairs(Evidence& evidence, double residual_sd);

}  // namespace lowtide::judge
