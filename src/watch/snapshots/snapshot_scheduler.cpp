#include "watch/snapshots/snapshot_scheduler.h"

#include <algorithm>
#include <utility>

#include "watch/snapshots/snapshot_room.h"
#include "wire/layout.h"

namespace lowtide::watch {
namespace {

constexpr double kPressedPercent = 10;

// Until the child ends, the kernel copies every page that the job writes. A snapshot must not push a job over
// its limit: some systems then kill the whole container.
std::uint64_t walk_bytes(const observe::Member& member) {
  return member.status.rss_bytes / 2 + kWalkTablesBytes;
}

// A fork copies no page tables of mapped files and of shared memory.
std::uint64_t forked_bytes(const observe::Member& member) {
  return member.status.has_split ? member.status.anon_bytes + member.status.swap_bytes
                                 : member.status.rss_bytes;
}

bool is_worker(const observe::Member& member) {
  return member.info.role == model::ProcessRole::Worker;
}

// An interpreter that ends writes to all pages that it frees, and the originals stay until the child ends.
std::uint64_t walk_bytes_at_end(const observe::Member& member) {
  return worst_walk_bytes(member.status.rss_bytes);
}

std::optional<std::uint64_t> room_below_limit(const observe::Monitor& monitor, const model::Tick& tick) {
  const auto& limit = monitor.limit();
  if (!limit) return std::nullopt;
  return limit->reach_bytes - std::min(limit->reach_bytes, tick.target.bytes);
}

StartUp start_up_of(const observe::AgentRegistry& agents, std::int64_t pid, double step) {
  constexpr double kMomentS = 3;
  constexpr double kFirstSteps = 3;
  if (step >= kFirstSteps) return StartUp::Stepping;
  if (agents.since_import_s(pid) < kMomentS) return StartUp::Importing;
  return agents.since_loading_s(pid) < kMomentS ? StartUp::Loading : StartUp::Unknown;
}

}  // namespace

void SnapshotScheduler::take(observe::Monitor& monitor, double at_s, record::Writer* writer) {
  taken_.clear();
  for (model::Snapshot& snapshot : monitor.agents()->take_snapshots()) {
    const auto id = ids_.find(snapshot.pid);
    if (id == ids_.end()) continue;
    snapshot.at_s += at_s;  // the agent sends a negative age
    ProcessSchedule& schedule = schedules_[static_cast<std::uint32_t>(id->second)];
    const double cpu_s = snapshot.cpu_s > 0 ? snapshot.cpu_s : snapshot.whole_s;
    schedule.pace.note_taken({.fork_s = snapshot.fork_s,
                              .walk_s = cpu_s,
                              .whole_s = snapshot.whole_s,
                              .forked_bytes = schedule.forked_bytes});
    turns_.note_ended(at_s, snapshot.whole_s, cpu_s);
    if (writer != nullptr) writer->add_snapshot(id->second, snapshot);
    taken_.push_back(std::move(snapshot));
  }
}

void SnapshotScheduler::note_reasons(const model::Tick& tick, bool may_leak) {
  const bool is_pressed = tick.host && tick.host->pressure_percent.value_or(0) >= kPressedPercent;
  if ((may_leak && !has_leaned_) || (is_pressed && !was_pressed_)) {
    for (auto& [process, schedule] : schedules_) schedule.is_eager = true;
  }
  has_leaned_ = has_leaned_ || may_leak;
  was_pressed_ = is_pressed;
}

bool SnapshotScheduler::is_due(ProcessSchedule& schedule, const observe::Member& member, double at_s,
                               std::optional<std::uint64_t> room_bytes) const {
  if (room_bytes && *room_bytes < walk_bytes(member)) return false;
  if (room_bytes && *room_bytes < 2 * walk_bytes(member) && !schedule.took_headroom_snapshot) {
    schedule.took_headroom_snapshot = true;
    schedule.is_eager = true;
  }
  return schedule.answered < asked_ ||
         schedule.pace.is_due(at_s - member.info.started_s, forked_bytes(member), schedule.is_eager,
                              schedule.start_up);
}

// The snapshots that the process may start by itself (wire::UnsolicitedSnapshot). At its end: none if it uses
// a GPU, because other processes may wait for that memory, and none of workers, which come and go. Several
// processes may end at once, so the room that one gets is not available to the others.
std::uint32_t SnapshotScheduler::allowed_unsolicited(const ProcessSchedule& schedule,
                                                     const observe::Member& member, double at_s,
                                                     std::optional<std::uint64_t>& room_bytes) const {
  const double age_s = at_s - member.info.started_s;
  std::uint32_t which = 0;
  if ((!room_bytes || *room_bytes >= walk_bytes(member)) &&
      schedule.pace.is_due_at_end(age_s, forked_bytes(member))) {
    which |= static_cast<std::uint32_t>(wire::UnsolicitedSnapshot::OutOfMemory);
  }
  const bool has_room = !room_bytes || *room_bytes >= walk_bytes_at_end(member);
  if (at_end_ && has_room && !member.uses_gpu && !is_worker(member) &&
      schedule.pace.is_due_at_end(age_s, forked_bytes(member))) {
    which |= static_cast<std::uint32_t>(wire::UnsolicitedSnapshot::AtEnd);
    if (room_bytes) *room_bytes -= walk_bytes_at_end(member);
  }
  return which;
}

SnapshotTurns::Candidate SnapshotScheduler::turn_of(const ProcessSchedule& schedule,
                                                    const observe::Member& member) {
  return {.is_worker = is_worker(member), .requests = schedule.pace.requests()};
}

void SnapshotScheduler::note_reason_against(const std::string& reason, record::Writer* writer) {
  if (has_noted_reason_ || writer == nullptr) return;
  has_noted_reason_ = true;
  writer->set_meta<record::Meta::NoSnapshot>(reason);
}

void SnapshotScheduler::tick(observe::Monitor& monitor, const model::Tick& tick, bool may_leak,
                             record::Writer* writer) {
  observe::AgentRegistry* const agents = monitor.agents();
  if (agents == nullptr) return;
  take(monitor, tick.at_s, writer);
  if (is_over_) return;
  note_reasons(tick, may_leak);
  const bool is_walking = agents->is_walking();
  const auto room_bytes = room_below_limit(monitor, tick);
  const auto room_before_group_kill = monitor.room_before_group_kill();
  auto room_at_end = room_bytes;
  ProcessSchedule* chosen = nullptr;
  const observe::Member* whom = nullptr;
  for (const std::int64_t pid : agents->pythons()) {
    const observe::Member* member = monitor.tree().find(pid);
    if (member == nullptr || member->info.role == model::ProcessRole::Wrapper) continue;
    ProcessSchedule& schedule = schedules_[static_cast<std::uint32_t>(member->info.id)];
    ids_.insert_or_assign(pid, member->info.id);
    const auto reason = reason_against_snapshot(room_before_group_kill, member->status.rss_bytes);
    agents->allow_unsolicited(pid,
                              reason ? 0 : allowed_unsolicited(schedule, *member, tick.at_s, room_at_end));
    if (reason) {
      note_reason_against(*reason, writer);
      continue;
    }
    schedule.start_up = start_up_of(*agents, pid, tick.step);
    const bool is_asked = schedule.answered < asked_;
    const bool may_go = is_asked || schedule.is_eager || turns_.is_free(tick.at_s);
    if (is_walking || !may_go) continue;
    if (!is_due(schedule, *member, tick.at_s, room_bytes)) continue;
    if (chosen != nullptr && !turns_.is_before(turn_of(schedule, *member), turn_of(*chosen, *whom))) continue;
    chosen = &schedule;
    whom = member;
  }
  if (chosen == nullptr) return;
  chosen->pace.note_asked(tick.at_s - whom->info.started_s, chosen->start_up);
  turns_.note_asked(is_worker(*whom));
  chosen->forked_bytes = forked_bytes(*whom);
  chosen->is_eager = false;
  chosen->answered = asked_;
  agents->ask_walk(whom->info.pid);
}

}  // namespace lowtide::watch
