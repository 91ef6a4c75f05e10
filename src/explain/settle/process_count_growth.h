// Processes that are started and never end.
#pragma once

#include "explain/evidence/evidence.h"

namespace lowtide::explain {

struct ProcessCountGrowth {
  double early = 0;  // processes in the early part of the run
  double late = 0;
  bool goes_on = false;  // more in every part of the run than in the one before, to its end
};

ProcessCountGrowth find_pile_up(const Evidence& evidence);

}  // namespace lowtide::explain
