// When a snapshot is taken, and of which Python process: by a schedule, when a leak is first suspected, while
// there is still room for it below the limit, under memory pressure, when the process ends, and when the user
// asks for it (SIGUSR2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/snapshot.h"
#include "model/tick.h"
#include "model/verdict.h"
#include "observe/monitor.h"
#include "record/writer.h"
#include "watch/snapshots/snapshot_pace.h"
#include "watch/snapshots/snapshot_turns.h"

namespace lowtide::watch {

class SnapshotScheduler {
 public:
  // `at_end`: take a last snapshot of a Python process that ends. Its memory stays in use until the snapshot
  // is done, so lowtide must be what the caller waits for.
  explicit SnapshotScheduler(bool at_end) : at_end_(at_end) {}

  // The user asks: takes one snapshot of every Python process, even if the budget is used up.
  void ask() { ++asked_; }

  // Starts no more snapshots; those that are under way are still read.
  void end() { is_over_ = true; }

  // The snapshots of the latest tick.
  [[nodiscard]] const std::vector<model::Snapshot>& taken() const { return taken_; }

  // Reads the snapshots that have arrived, and starts the next one that is due. `writer` may be null.
  void tick(observe::Monitor& monitor, const model::Tick& tick, bool may_leak, record::Writer* writer);

 private:
  struct ProcessSchedule {
    SnapshotPace pace;
    StartUp start_up = StartUp::Unknown;
    bool is_eager = false;
    bool took_headroom_snapshot = false;
    std::uint64_t forked_bytes = 0;  // when it was last asked
    std::size_t answered = 0;        // of asked_
  };

  static SnapshotTurns::Candidate turn_of(const ProcessSchedule& schedule, const observe::Member& member);
  void take(observe::Monitor& monitor, double at_s, record::Writer* writer);
  void note_reason_against(const std::string& reason, record::Writer* writer);
  void note_reasons(const model::Tick& tick, bool may_leak);
  [[nodiscard]] bool is_due(ProcessSchedule& schedule, const observe::Member& member, double at_s,
                            std::optional<std::uint64_t> room_bytes) const;
  [[nodiscard]] std::uint32_t allowed_unsolicited(const ProcessSchedule& schedule,
                                                  const observe::Member& member, double at_s,
                                                  std::optional<std::uint64_t>& room_bytes) const;

  std::map<std::uint32_t, ProcessSchedule> schedules_;  // by ProcessId
  std::map<std::int64_t, model::ProcessId>
      ids_;  // also of processes that end before their last snapshot arrives
  SnapshotTurns turns_;
  std::vector<model::Snapshot> taken_;
  bool at_end_;
  bool is_over_ = false;
  std::size_t asked_ = 0;
  bool has_leaned_ = false;   // to a leak
  bool was_pressed_ = false;  // for memory
  bool has_noted_reason_ = false;
};

}  // namespace lowtide::watch
