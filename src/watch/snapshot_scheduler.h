// When a Python of the job is looked into, and which: by a schedule, when a leak is first suspected, while
// there is still room for it before a limit, under memory pressure, at its end, and when a person asks
// (SIGUSR2).
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
#include "watch/snapshot_pace.h"

namespace lowtide::watch {

class SnapshotScheduler {
 public:
  // `at_end`: a Python that ends is looked into once more; its memory stays in use until that is done, so
  // whoever waits for it must wait for us.
  explicit SnapshotScheduler(bool at_end) : at_end_(at_end) {}

  // A person wants to know: every Python is looked into once, whatever it costs.
  void ask() { ++asked_; }

  // Nobody is asked any more; what is under way is taken.
  void end() { is_over_ = true; }

  // Those that the latest tick took.
  [[nodiscard]] const std::vector<model::Snapshot>& taken() const { return taken_; }

  // Takes what has come, and asks the next one whose turn it is. `writer` may be null.
  void tick(observe::Monitor& monitor, const model::Tick& tick, const model::Verdict& verdict,
            record::Writer* writer);

 private:
  struct ProcessSchedule {
    SnapshotPace pace;
    StartUp start_up = StartUp::Unknown;
    bool is_eager = false;
    bool took_headroom_snapshot = false;
    std::size_t answered = 0;  // of asked_
  };

  void take(observe::Monitor& monitor, double at_s, record::Writer* writer);
  void note_reason_against(const std::string& reason, record::Writer* writer);
  void note_reasons(const model::Tick& tick, const model::Verdict& verdict);
  [[nodiscard]] bool is_due(ProcessSchedule& looked, const observe::Member& member, double at_s,
                            std::optional<std::uint64_t> room_bytes) const;
  [[nodiscard]] std::uint32_t allowed_unsolicited(const ProcessSchedule& looked,
                                                  const observe::Member& member, double at_s,
                                                  std::optional<std::uint64_t>& room_bytes,
                                                  bool is_walking) const;

  std::map<std::uint32_t, ProcessSchedule> looked_;  // by ProcessId
  std::map<std::int64_t, model::ProcessId> ids_;     // of those that may be gone when their last look comes
  std::vector<model::Snapshot> taken_;
  bool at_end_;
  bool is_over_ = false;
  std::size_t asked_ = 0;
  bool has_leaned_ = false;   // to a leak
  bool was_pressed_ = false;  // for memory
  bool has_noted_reason_ = false;
};

}  // namespace lowtide::watch
