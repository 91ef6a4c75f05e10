#include "observe/agents/trainer_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "observe/agents/torch_counters.h"
#include "observe/gpu_interval.h"

namespace lowtide::observe {
namespace {

constexpr double kEveryS = 1.0;
// A job that writes its steps does so soon after it has made one.
constexpr double kOutputPatienceS = 3.0;

}  // namespace

void TrainerMarks::choose_step(model::Tick& tick) {
  const bool has_output = !std::isnan(tick.step);
  if (std::isnan(first_step_s_) && !std::isnan(steps_)) first_step_s_ = tick.at_s;
  if (source_ == StepSource::Open) {
    if (has_output && !are_own_) {
      source_ = StepSource::Output;
    } else if (are_own_ || tick.at_s - first_step_s_ >= kOutputPatienceS) {
      source_ = StepSource::Told;
    }
  }
  if (source_ == StepSource::Told) tick.step = steps_;
}

void TrainerMarks::note_steps(const AgentMarks& marks) {
  if (marks.steps == 0) return;
  are_own_ = are_own_ || marks.are_own_steps;
  const auto steps = static_cast<double>(marks.steps);
  steps_ = std::isnan(steps_) ? steps : std::max(steps_, steps);
}

void TrainerMarks::tell_phases(Trainer& trainer, const SiteTable::PhaseBytes& kept, model::Tick& tick) {
  for (std::size_t at = 0; at < trainer.marks.phases.size(); ++at) {
    const AgentPhase& phase = trainer.marks.phases[at];
    const double took_s = static_cast<double>(phase.took_ns) * 1e-9 + trainer.open_visit.seconds_in(at);
    const Told now{phase.count, trainer.peak_bytes[at], kept[at + 1], took_s};
    if (now == trainer.told[at]) continue;
    trainer.told[at] = now;
    tick.phases.push_back({.process = trainer.id,
                           .name = phase.name,
                           .count = phase.count,
                           .kept_bytes = kept[at + 1],
                           .peak_bytes = trainer.peak_bytes[at],
                           .took_s = took_s});
  }
}

void TrainerMarks::tell_visit(Trainer& trainer, bool is_there, model::Tick& tick) {
  const auto& marks = trainer.marks;
  const std::string name = is_there && marks.phase ? marks.phases[*marks.phase].name : std::string();
  model::PhaseVisit& visit = trainer.visit;
  if (visit.name == name) return;
  if (!visit.name.empty()) {
    visit.to_s = tick.at_s;
    tick.phase_visits.push_back(visit);
  }
  visit = {.process = trainer.id, .name = name, .from_s = tick.at_s};
}

void TrainerMarks::tell_oom(Trainer& trainer, std::int64_t pid, double at_s,
                            std::vector<model::Event>& events) {
  const std::uint64_t wanted = trainer.marks.oom_wanted_bytes;
  if (wanted == trainer.told_oom_bytes) return;
  trainer.told_oom_bytes = wanted;
  const std::uint64_t free = trainer.marks.oom_free_bytes;
  std::string text = fmt::format("pid {}: torch asked for {} on a GPU with {} free", pid,
                                 base::format_bytes(static_cast<double>(wanted)),
                                 base::format_bytes(static_cast<double>(free)));
  // torch asks the driver for whole blocks, a little more than is wanted.
  const bool is_refused_by_torch = free / 2 > wanted;
  if (is_refused_by_torch) text += "; a limit of torch probably refused it";
  events.push_back({.kind = model::EventKind::CudaOom,
                    .at_s = at_s,
                    .text = std::move(text),
                    .stack = trainer.marks.oom_stack,
                    .is_refused_by_torch = is_refused_by_torch,
                    .asked_bytes = wanted,
                    .free_bytes = free});
}

void TrainerMarks::fill(model::Tick& tick, const ProcessTree& tree, std::span<const gpu::Device> gpus,
                        AgentRegistry& agents, std::vector<model::Event>& events) {
  tick.phases.clear();
  tick.phase_visits.clear();
  const bool is_time = tick.at_s >= next_s_;
  if (is_time) next_s_ = tick.at_s + kEveryS;
  const bool is_time_for_gpus = tick.at_s >= next_gpus_s_;
  if (is_time_for_gpus) next_gpus_s_ = tick.at_s + gpu_interval_s(tick.at_s);
  for (const std::int64_t pid : agents.pythons()) {
    const Member* const member = tree.find(pid);
    auto known = trainers_.find(pid);
    if (member != nullptr && known == trainers_.end()) {
      known = trainers_.try_emplace(pid).first;
      known->second.id = member->info.id;
    }
    if (known == trainers_.end()) continue;
    Trainer& trainer = known->second;
    agents.read_marks(pid, trainer.marks);
    note_steps(trainer.marks);
    trainer.open_visit.note(trainer.marks, tick.at_s);
    if (member != nullptr && trainer.marks.phase) {
      std::uint64_t& peak = trainer.peak_bytes[*trainer.marks.phase];
      peak = std::max(peak, member->status.rss_bytes);
    }
    tell_visit(trainer, member != nullptr, tick);
    add_torch_counters(trainer.id, trainer.marks, gpus, tick);
    tell_oom(trainer, pid, tick.at_s, events);
    if (is_time || member == nullptr) tell_phases(trainer, agents.kept_in_phases(pid), tick);
    if (member == nullptr) {
      trainers_.erase(known);
    } else if (is_time || (is_time_for_gpus && !trainer.marks.devices.empty())) {
      agents.ask_marks(pid);
    }
  }
  choose_step(tick);
}

}  // namespace lowtide::observe
