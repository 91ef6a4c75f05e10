// The time that a trainer has spent in its current phase. The agent adds up only visits that have ended, and
// a trainer without validation never leaves `train`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "observe/agents/agent_ring.h"

namespace lowtide::observe {

class OpenVisit {
 public:
  // At every tick. The start is known to within a tick, and never too early.
  void note(const AgentMarks& marks, double at_s) {
    const std::uint64_t ended_ns = marks.phase ? marks.phases[*marks.phase].took_ns : 0;
    // The phase may have been left and entered again between two ticks.
    if (marks.phase != phase_ || ended_ns != ended_ns_) since_s_ = at_s;
    phase_ = marks.phase;
    ended_ns_ = ended_ns;
    at_s_ = at_s;
  }

  // 0 for a phase that the trainer is not in.
  [[nodiscard]] double seconds_in(std::size_t phase) const { return phase_ == phase ? at_s_ - since_s_ : 0; }

 private:
  std::optional<std::size_t> phase_ = {};
  std::uint64_t ended_ns_ = 0;
  double since_s_ = 0;
  double at_s_ = 0;
};

}  // namespace lowtide::observe
