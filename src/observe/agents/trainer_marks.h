// What the trainers of a job tell through their agents: steps, phases, and torch's counters of GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpu/reading.h"
#include "model/report.h"
#include "model/sample.h"
#include "model/tick.h"
#include "observe/agents/agent_registry.h"
#include "observe/agents/open_visit.h"
#include "observe/tree/process_tree.h"

namespace lowtide::observe {

class TrainerMarks {
 public:
  // Fills in phases and torch's counters, and the step where the job's output names none. Before the agents
  // of processes that have ended are forgotten: their last words count.
  void fill(model::Tick& tick, const ProcessTree& tree, std::span<const gpu::Device> gpus,
            AgentRegistry& agents, std::vector<model::Event>& events);

  // The last step that was reported, also after the last tick that is recorded; nan where the job's output
  // counts them.
  [[nodiscard]] double steps() const { return source_ == StepSource::Told ? steps_ : model::kUnknown; }

 private:
  // Steps that change their source in the middle would look like a restart, so it is chosen once: what the
  // job says by lowtide.step(), what it writes, in its own count, or what its optimizer does.
  enum class StepSource { Open, Output, Told };

  struct Told {
    std::uint64_t count = 0;
    std::uint64_t peak_bytes = 0;
    std::uint64_t kept_bytes = 0;
    double took_s = 0;
    bool operator==(const Told&) const = default;
  };
  struct Trainer {
    model::ProcessId id{};
    AgentMarks marks;
    std::array<std::uint64_t, wire::kMaxPhases> peak_bytes{};
    std::array<Told, wire::kMaxPhases> told{};
    std::uint64_t told_oom_bytes = 0;
    OpenVisit open_visit;
    model::PhaseVisit visit = {};  // of now; without a name: none
  };

  void choose_step(model::Tick& tick);
  void note_steps(const AgentMarks& marks);
  static void tell_visit(Trainer& trainer, bool is_there, model::Tick& tick);
  static void tell_phases(Trainer& trainer, const SiteTable::PhaseBytes& kept, model::Tick& tick);
  static void tell_oom(Trainer& trainer, std::int64_t pid, double at_s, std::vector<model::Event>& events);

  std::map<std::int64_t, Trainer> trainers_;  // by pid
  StepSource source_ = StepSource::Open;
  double first_step_s_ = model::kUnknown;  // when an optimizer was first seen to step
  double steps_ = model::kUnknown;
  bool are_own_ = false;  // the job counts them itself
  double next_s_ = 0;
  double next_gpus_s_ = 0;
};

}  // namespace lowtide::observe
