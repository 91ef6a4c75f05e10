// Processes that are started and never end.
#pragma once

#include <optional>

#include "explain/evidence/evidence.h"
#include "explain/settle/settle.h"

namespace lowtide::explain {

struct ProcessCountGrowth {
  double early = 0;  // processes in the early part of the run
  double late = 0;
  bool goes_on = false;  // more in every part of the run than in the one before, to its end
};

ProcessCountGrowth find_process_count_growth(const Evidence& evidence);

// More and more processes, to the end, are a leak, whatever each of them does.
std::optional<Argument> leak_from_process_count(const Evidence& evidence);

}  // namespace lowtide::explain
