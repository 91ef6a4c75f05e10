// Local variables of more and more calls that do not end: threads, generators and tasks that wait for ever.
//
// A snapshot lists the variables of every frame. Each call has its own variable, so none of them grows; their
// number does.
#pragma once

#include <optional>
#include <string>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

struct RunningCalls {
  std::string variable;    // "samples"
  std::string function;    // "handle"
  std::uint32_t line = 0;  // where they wait; 0: not all at one line
  std::size_t at_first = 0;
  std::size_t at_last = 0;
  double growth_bytes = 0;
};

// The variable that gained most, between the snapshots that are compared.
std::optional<RunningCalls> find_running_calls(const Scene& scene, const ProcessHolders& holders);

}  // namespace lowtide::explain
