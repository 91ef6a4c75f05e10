#include "observe/agents/agent_registry.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "observe/agents/sampling_rate.h"
#include "observe/agents/snapshot_records.h"
#include "observe/agents/socket_folder.h"
#include "observe/cpu_time.h"
#include "procfs/process_files.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

constexpr std::chrono::seconds kToCome{2};  // a process that runs no Python for so long is asked another time
constexpr double kWalkWaitS = 0.1;          // how soon the end of a walk is noticed

constexpr int kMostHellos = 256;  // at a time
constexpr std::size_t kMostAgents = 4096;
constexpr std::size_t kMostGone = 64;  // whose last walk may still come
// A ring holds some 250 samples: it is read before it can be half full.
constexpr double kSamplesBetweenReads = 60;
constexpr double kShortestWaitS = 0.02;
constexpr double kLongestWaitS = 0.5;
// Of one core, for finding out what called what.
constexpr double kUnwindShare = 0.02;
constexpr double kMostCreditS = 0.1;
// Of tables of names: those of libtorch, libtorch_cuda and libtorch_python have 6 MB.
constexpr std::size_t kMostNameBytes = 12U << 20U;

bool is_there(std::int32_t pid) {
  std::error_code ignored;
  return std::filesystem::exists("/proc/" + std::to_string(pid), ignored);
}

// Numbers that no machine has are not told.
model::TrimTrial to_trial(const AgentTrial& said, model::ProcessId process, double at_s) {
  constexpr std::uint64_t kMostBytes = 1ULL << 50U;
  constexpr std::uint64_t kMostNs = 3'600'000'000'000;
  const auto believed = [](std::uint64_t bytes) {
    return bytes > 0 && bytes < kMostBytes ? std::optional(bytes) : std::nullopt;
  };
  const auto seconds = [&](std::uint64_t ns) { return static_cast<double>(std::min(ns, kMostNs)) * 1e-9; };
  model::TrimTrial out{.process = process, .at_s = at_s};
  switch (said.state) {
    case wire::TrialState::None:
      return out;
    case wire::TrialState::Running:
      out.outcome = model::TrimOutcome::Unfinished;
      return out;
    case wire::TrialState::NotPossible:
      out.outcome = model::TrimOutcome::NoTrim;
      return out;
    case wire::TrialState::Done:
      break;
  }
  out.outcome = model::TrimOutcome::Done;
  out.rss_before_bytes = believed(said.rss_before_bytes);
  out.rss_after_bytes = believed(said.rss_after_bytes);
  out.trim_s = seconds(said.trim_ns);
  if (said.inspect_ns > 0) {
    out.inspect_s = seconds(said.inspect_ns);
    out.arena_bytes = believed(said.arena_bytes);
    out.free_bytes = believed(said.free_bytes);
    out.mapped_bytes = believed(said.mapped_bytes);
  }
  return out;
}

}  // namespace

AgentRegistry::AgentRegistry(std::string folder, AgentSocket socket)
    : folder_(std::move(folder)),
      path_(folder_ + '/' + std::string(kSocketName)),
      polled_at_s_(base::steady_seconds()) {
  sockets_.push_back(std::move(socket));
  tools_->unwind_credit_s = kMostCreditS;
}

AgentRegistry::AgentRegistry(AgentRegistry&& other) noexcept = default;

AgentRegistry::~AgentRegistry() {
  for (auto& [pid, agent] : agents_) {
    agent->ring.allow_unsolicited(0);
    agent->ring.ask_off();
  }
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

base::Result<AgentRegistry> AgentRegistry::open() {
  auto place = open_agent_socket();
  if (!place) return std::move(place).error();
  return AgentRegistry(std::move(place.value().folder), std::move(place.value().socket));
}

void AgentRegistry::take_hellos() {
  for (AgentSocket& socket : sockets_) {
    for (int count = 0; count < kMostHellos; ++count) {
      std::optional<AgentHello> hello = socket.receive();
      if (!hello) break;
      take_hello(std::move(*hello));
    }
  }
}

void AgentRegistry::take_hello(AgentHello hello) {
  if (hello.is_walk) {
    take_walk(std::move(hello));
    return;
  }
  if (hello.state != wire::AgentState::On || !hello.file.valid()) {
    ++ended_.off[hello.reason];
    return;
  }
  auto ring = AgentRing::open(hello.file);
  if (!ring || agents_.size() >= kMostAgents) {
    ++ended_.off[wire::OffReason::Confused];
    return;
  }
  ++ended_.processes;
  // The same pid again: it has called exec.
  if (const auto before = agents_.find(hello.pid); before != agents_.end()) note_end(*before->second);
  auto& agent = agents_[hello.pid];
  agent = std::make_unique<Agent>(std::move(ring).value(), hello.pid, *tools_);
  agent->began_s = agent->limited_s = base::steady_seconds();
  if (!first_began_s_) first_began_s_ = agent->began_s;
}

void AgentRegistry::note_exec(std::int64_t pid) {
  const auto agent = agents_.find(static_cast<std::int32_t>(pid));
  if (agent == agents_.end()) return;
  note_end(*agent->second);
  agents_.erase(agent);
}

double AgentRegistry::began_s(std::int64_t pid) const {
  const auto agent = agents_.find(static_cast<std::int32_t>(pid));
  return agent == agents_.end() ? 0 : agent->second->began_s;
}

std::vector<std::int32_t> AgentRegistry::pids() const {
  std::vector<std::int32_t> out;
  for (const auto& [pid, agent] : agents_) out.push_back(pid);
  return out;
}

void AgentRegistry::ask_walk(std::int64_t pid) {
  const auto found = agents_.find(static_cast<std::int32_t>(pid));
  if (found == agents_.end() || is_walking(pid)) return;
  found->second->ring.ask_walk(kToCome);
  walks_.push_back({.pid = found->first, .asked_s = base::steady_seconds()});
}

bool AgentRegistry::shares_pages() const {
  constexpr double kMayForkS = kToCome.count() + 0.2;  // later its agent does not, whatever it is asked
  return std::any_of(walks_.begin(), walks_.end(), [](const Walk& walk) {
    return walk.came || base::steady_seconds() - walk.asked_s < kMayForkS;
  });
}

bool AgentRegistry::is_walking(std::int64_t pid) const {
  return std::any_of(walks_.begin(), walks_.end(), [&](const Walk& walk) { return walk.pid == pid; });
}

bool AgentRegistry::awaits_last_walk() const {
  return std::any_of(walks_.begin(), walks_.end(),
                     [this](const Walk& walk) { return walk.came && agents_.count(walk.pid) == 0; });
}

void AgentRegistry::ask_marks(std::int64_t pid) {
  if (const auto found = agents_.find(static_cast<std::int32_t>(pid)); found != agents_.end()) {
    found->second->ring.ask_marks();
  }
}

void AgentRegistry::allow_unsolicited(std::int64_t pid, std::uint32_t which) {
  if (const auto found = agents_.find(static_cast<std::int32_t>(pid)); found != agents_.end()) {
    found->second->ring.allow_unsolicited(which);
  }
}

void AgentRegistry::read_marks(std::int64_t pid, AgentMarks& into) const {
  if (const auto found = agents_.find(static_cast<std::int32_t>(pid)); found != agents_.end()) {
    found->second->ring.read_marks(into);
  }
}

SiteTable::PhaseBytes AgentRegistry::kept_in_phases(std::int64_t pid) const {
  const auto found = agents_.find(static_cast<std::int32_t>(pid));
  return found == agents_.end() ? SiteTable::PhaseBytes{} : found->second->book.kept_in_phases();
}

double AgentRegistry::since_loading_s(std::int64_t pid) const {
  const auto found = agents_.find(static_cast<std::int32_t>(pid));
  return base::steady_seconds() - (found == agents_.end() ? 0 : found->second->loaded_s);
}

double AgentRegistry::since_import_s(std::int64_t pid) const {
  const auto found = agents_.find(static_cast<std::int32_t>(pid));
  return base::steady_seconds() - (found == agents_.end() ? 0 : found->second->imported_s);
}

std::vector<std::int64_t> AgentRegistry::pythons() const {
  std::vector<std::int64_t> out;
  for (const auto& [pid, agent] : agents_) {
    const wire::PythonState state = agent->status.python_state;
    if (state == wire::PythonState::Frames || state == wire::PythonState::Full) out.push_back(pid);
  }
  return out;
}

void AgentRegistry::take_walk(AgentHello hello) {
  const std::int32_t pid = pid_of(hello);
  for (Walk& walk : walks_) {
    if (walk.came || walk.pid != pid || agents_.count(pid) == 0) continue;
    walk.came = std::move(hello);
    walk.came_s = base::steady_seconds();
    return;
  }
  // One that came by itself: torch has run out of a GPU's memory, or the interpreter ends.
  const bool has_come = std::any_of(walks_.begin(), walks_.end(),
                                    [&](const Walk& walk) { return walk.pid == pid && walk.is_unasked; });
  if (pid == 0 || has_come) return;
  const double at_s = base::steady_seconds();
  walks_.push_back(
      {.pid = pid, .asked_s = at_s, .came_s = at_s, .is_unasked = true, .came = std::move(hello)});
}

// Of one that is there, or has just gone; 0: of none. The child that walks is a child of its process. Where
// the process has gone meanwhile, the number that it had in its own pid namespace decides.
std::int32_t AgentRegistry::pid_of(const AgentHello& walk) const {
  const std::int32_t pid_in_target = walk.pid_in_target;
  const auto is_it = [&](const auto& entry) { return entry.second->ring.pid_in_target() == pid_in_target; };
  if (const auto stat = procfs::read_stat({}, walk.pid)) {
    const auto parent = agents_.find(static_cast<std::int32_t>(stat.value().ppid));
    if (parent != agents_.end() && is_it(*parent)) return parent->first;
  }
  const auto agent = std::find_if(agents_.begin(), agents_.end(), is_it);
  if (agent != agents_.end()) return agent->first;
  const auto gone = std::find_if(gone_.rbegin(), gone_.rend(),
                                 [&](const Gone& each) { return each.pid_in_target == pid_in_target; });
  return gone == gone_.rend() ? 0 : gone->pid;
}

void AgentRegistry::read_walks() {
  constexpr double kToComeS = 1.0 + kToCome.count();  // its hello may follow the fork a moment later
  constexpr double kToEndS = 90;
  constexpr double kToVanishS = 5;
  std::erase_if(walks_, [this](Walk& walk) {
    const double since_s = base::steady_seconds() - walk.asked_s;
    const auto agent = agents_.find(walk.pid);
    if (!walk.came) {
      const bool was_refused = agent != agents_.end() && !agent->second->ring.walk().is_pending &&
                               agent->second->ring.walk().result < 0;
      return was_refused || agent == agents_.end() || since_s > kToComeS;
    }
    pollfd end{walk.came->connection.get(), POLLIN, 0};
    if (!walk.walker) walk.walker.emplace(walk.came->pid);
    if (::poll(&end, 1, 0) == 0 && since_s < kToEndS) {
      if (walk.walker->is_stuck(base::steady_seconds())) walk.walker->end();
      return false;
    }
    // The agent can reap the child only after it has ended, and must not be detached before that.
    if (!walk.closed_s) walk.closed_s = base::steady_seconds();
    if (!walk.walker->has_ended() && base::steady_seconds() - *walk.closed_s < kToVanishS) return false;
    // The job has still to say how long it was paused.
    const AgentRing::WalkState said = walk_of(walk.pid);
    const bool is_paused = said.result == static_cast<std::int32_t>(wire::SnapshotResult::Underway);
    if (is_paused && is_there(walk.pid) && since_s < kToEndS) return false;
    if (auto snapshot = read_snapshot(walk.came->file); snapshot && snapshot.value().has_holders) {
      snapshot.value().pid = walk.pid;
      snapshot.value().at_s = walk.came_s - base::steady_seconds();
      snapshot.value().pause_s = std::max(0, said.result) / 1e6;
      snapshot.value().fork_s = said.fork_us / 1e6;
      snapshot.value().cpu_s = walk.walker->cpu_s();
      snapshots_.push_back(std::move(snapshot).value());
    }
    return true;
  });
}

void AgentRegistry::end_walks(double patience_s) {
  constexpr double kToVanishS = 5;
  constexpr std::chrono::milliseconds kNap{10};
  const double until_s = base::steady_seconds() + patience_s;
  while (is_walking() && base::steady_seconds() < until_s + kToVanishS) {
    if (base::steady_seconds() >= until_s) {
      for (const Walk& walk : walks_) {
        if (walk.walker) walk.walker->end();
      }
    }
    std::this_thread::sleep_for(kNap);
    read_rings();
  }
}

AgentRing::WalkState AgentRegistry::walk_of(std::int32_t pid) const {
  if (const auto agent = agents_.find(pid); agent != agents_.end()) return agent->second->ring.walk();
  const auto gone =
      std::find_if(gone_.rbegin(), gone_.rend(), [&](const Gone& each) { return each.pid == pid; });
  return gone == gone_.rend() ? AgentRing::WalkState{} : gone->walk;
}

void AgentRegistry::poll() {
  const double before_s = thread_cpu_seconds();
  const std::size_t agents_before = agents_.size();
  take_hellos();
  read_walks();
  const double at_s = base::steady_seconds();
  if (agents_.size() != agents_before || at_s >= polled_at_s_ + rings_wait_s_) read_rings();
  wait_s_ = std::max(kShortestWaitS, polled_at_s_ + rings_wait_s_ - at_s);
  if (is_walking()) wait_s_ = std::min(wait_s_, kWalkWaitS);
  spent_s_ += thread_cpu_seconds() - before_s;
}

void AgentRegistry::read_rings() {
  const double at_s = base::steady_seconds();
  const double since_s = at_s - polled_at_s_;
  polled_at_s_ = at_s;
  tools_->unwind_credit_s = std::min(kMostCreditS, tools_->unwind_credit_s + kUnwindShare * since_s);
  double fastest = 0;
  for (auto& [pid, agent] : agents_) {
    const AgentStatus before = agent->status;
    agent->status = agent->ring.status();
    if (agent->status.module_changes != before.module_changes) {
      agent->book.forget_places();
      agent->loaded_s = at_s;
    }
    static_cast<void>(agent->ring.poll(agent->book));
    if (const std::uint64_t sample = agent->book.sample_in_import(); sample != agent->sample_in_import) {
      agent->sample_in_import = sample;
      agent->imported_s = sample == 0 ? 0 : at_s;
    }
    if (since_s > 0)
      fastest = std::max(fastest, static_cast<double>(agent->status.samples - before.samples) / since_s);
  }
  rings_wait_s_ =
      fastest > 0 ? std::clamp(kSamplesBetweenReads / fastest, kShortestWaitS, kLongestWaitS) : kLongestWaitS;
}

std::uint64_t AgentRegistry::dropped_of(const AgentStatus& status) {
  return status.drops[static_cast<std::size_t>(wire::Drop::RingFull)] +
         status.drops[static_cast<std::size_t>(wire::Drop::TableFull)] +
         status.drops[static_cast<std::size_t>(wire::Drop::NoMonitor)] +
         status.drops[static_cast<std::size_t>(wire::Drop::Mappings)];
}

void AgentRegistry::note_end(const Agent& agent) {
  ended_.samples += agent.status.samples;
  ended_.dropped += dropped_of(agent.status);
  ended_.sampling_ns += agent.status.sampling_ns;
  if (agent.status.state == wire::AgentState::Off) ++ended_.off[agent.status.reason];
}

void AgentRegistry::fill(model::Tick& tick, const ProcessTree& tree) {
  const double before_s = thread_cpu_seconds();
  tick.heaps.clear();
  tick.sites.clear();
  begun_.clear();
  take_hellos();
  read_walks();
  read_rings();
  read_books(tick, tree);
  tools_->images.give_back(kMostNameBytes);
  spent_s_ += thread_cpu_seconds() - before_s;
}

void AgentRegistry::read_books(model::Tick& tick, const ProcessTree& tree) {
  for (auto entry = agents_.begin(); entry != agents_.end();) {
    Agent& agent = *entry->second;
    const Member* const member = tree.find(entry->first);
    if (member == nullptr) {
      // Not there yet, or gone. A process that is alive will be found by a later tick.
      const bool gone = !is_there(entry->first);
      if (gone) {
        note_end(agent);
        gone_.push_back({entry->first, agent.ring.pid_in_target(), agent.ring.walk()});
        if (gone_.size() > kMostGone) gone_.erase(gone_.begin());
      }
      entry = gone ? agents_.erase(entry) : std::next(entry);
      continue;
    }
    ++entry;
    if (tick.at_s - agent.told_at_s < sites_interval_s_) continue;
    agent.told_at_s = tick.at_s;
    limit_samples(agent, base::steady_seconds());
    const AgentDriver driver = agent.ring.driver();
    tick.heaps.push_back(
        {.process = member->info.id,
         .live_bytes = agent.book.live_bytes(),
         .live_samples = agent.book.live_samples(),
         .allocated_bytes = agent.status.sampled_bytes,
         .samples = agent.status.samples,
         .dropped_samples = dropped_of(agent.status),
         .interval_bytes = agent.status.mean_bytes,
         .sampling_ns = agent.status.sampling_ns,
         .asking_ns = agent.status.asking_ns,
         .cuda_driver = static_cast<model::CudaDriver>(driver.state),
         .cuda_modules = driver.modules,
         .cuda_unsized = driver.unsized,
         .cuda_dropped_bytes = agent.status.dropped_bytes[static_cast<std::size_t>(wire::Drop::Driver)]});
    note_unfollowed(driver.unfollowed);
    agent.book.read_sites(member->info.id, tick.at_s, tick.sites, begun_);
  }
}

void AgentRegistry::note_unfollowed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 16;
  for (const std::string& name : names) {
    if (unfollowed_.size() < kMostNames) unfollowed_.insert(name);
  }
}

void AgentRegistry::limit_samples(Agent& agent, double at_s) const {
  SamplingNeed need{.watched_s = at_s - agent.began_s,
                    .came_s = agent.began_s - first_began_s_.value_or(agent.began_s),
                    .processes = agents_.size(),
                    .grows = grows_,
                    .searched_s = agent.searched_s};
  const std::uint64_t samples = agent.book.live_samples();
  if (need.watched_s < kFullRateS) agent.first_samples = samples;
  need.new_samples = samples - std::min(samples, agent.first_samples);
  if (is_search_due(need)) agent.searched_s += at_s - agent.limited_s;
  agent.limited_s = at_s;
  agent.ring.limit_samples(samples_per_second(need));
}

void AgentRegistry::ask_trims() {
  for (auto& [pid, agent] : agents_) agent->ring.ask_trim();
}

bool AgentRegistry::awaits_trims() const {
  return std::any_of(agents_.begin(), agents_.end(), [](const auto& entry) {
    const wire::TrialState state = entry.second->ring.trial().state;
    return (state == wire::TrialState::None || state == wire::TrialState::Running) && is_there(entry.first);
  });
}

bool AgentRegistry::is_trimming() const {
  return std::any_of(agents_.begin(), agents_.end(), [](const auto& entry) {
    return entry.second->ring.trial().state == wire::TrialState::Running && is_there(entry.first);
  });
}

std::vector<model::TrimTrial> AgentRegistry::trials(double at_s, const ProcessTree& tree) const {
  std::vector<model::TrimTrial> out;
  for (const auto& [pid, agent] : agents_) {
    if (const Member* member = tree.find(pid))
      out.push_back(to_trial(agent->ring.trial(), member->info.id, at_s));
  }
  return out;
}

AgentSummary AgentRegistry::summary() const {
  AgentSummary summary = ended_;
  for (const auto& [pid, agent] : agents_) {
    summary.samples += agent->status.samples;
    summary.dropped += dropped_of(agent->status);
    summary.sampling_ns += agent->status.sampling_ns;
    if (agent->status.state == wire::AgentState::Off) ++summary.off[agent->status.reason];
  }
  return summary;
}

}  // namespace lowtide::observe
