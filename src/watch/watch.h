// A job being watched: every tick is read, recorded and judged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "judge/live.h"
#include "model/judgement.h"
#include "model/outline.h"
#include "model/snapshot.h"
#include "model/trim_trial.h"
#include "observe/monitor.h"
#include "record/header.h"
#include "record/writer.h"
#include "watch/pace.h"
#include "watch/recording_judge.h"
#include "watch/snapshot_scheduler.h"

namespace lowtide::watch {

class Watch {
 public:
  struct Options {
    observe::Monitor::Options monitor;
    std::optional<double> interval_s;
    bool take_snapshots = true;  // of Pythons with an agent
  };

  // `began_s`: seconds on the steady clock at which the recording's time is 0.
  // Without a writer the job is judged and nothing is kept.
  static base::Result<Watch> begin(const Options& options, double began_s,
                                   std::optional<record::Writer> writer);

  // Returns the seconds to wait until the next one.
  double tick(double step);

  // Between ticks: what the agents in the job have sent; and in how many seconds to ask again.
  double poll_agents();

  // A child of ours ended.
  void note_exit(std::int32_t pid, int exit_status) { monitor_.tree().note_exit(pid, exit_status); }
  void add_event(model::EventKind kind, const std::string& text);

  // The processes that the agent is not in although it should be, and why; `more` are not in the list.
  void note_not_entered(const std::vector<std::string>& texts, std::size_t more);

  // Looks into every Python of the job; false where that was not wanted when the watch began.
  bool ask_snapshots() {
    if (looks_) looks_->ask();
    return looks_.has_value();
  }

  // The job has ended: no process is looked into any more, but for those that ended just now.
  void end_looks() {
    if (looks_) looks_->end();
  }
  [[nodiscard]] bool awaits_last_look() const {
    return monitor_.agents() != nullptr && monitor_.agents()->awaits_last_walk();
  }

  // The trim trial: every agent asks its allocator to give back what it keeps. Waits up to
  // `patience_s` for them to come to it; one that has begun gets a while longer. To be
  // called after the last tick, since the memory falls by it.
  void try_trim(double patience_s);
  [[nodiscard]] const std::vector<model::TrimTrial>& trim_trials() const { return trim_trials_; }

  // The last words: what the watch itself cost. The recording is closed.
  void end();

  [[nodiscard]] double at_s() const;
  // The series that is judged, so far.
  [[nodiscard]] model::Outline outline() const { return live_.detector().outline(); }
  // The looks that the latest tick took.
  [[nodiscard]] std::span<const model::Snapshot> snapshots() const {
    return looks_ ? std::span<const model::Snapshot>(looks_->taken()) : std::span<const model::Snapshot>();
  }
  // That of the recording, as the report has it (recording_judge.h); of the tree's series alone while there
  // is none yet. Its `at_s` says how old it is.
  [[nodiscard]] const model::Judgement& judgement() const { return judgement_; }
  [[nodiscard]] const model::Tick* latest() const { return latest_; }
  [[nodiscard]] const observe::Monitor& monitor() const { return monitor_; }
  [[nodiscard]] const record::Writer* writer() const { return writer_ ? &*writer_ : nullptr; }
  // Some process of the job was there at some tick.
  [[nodiscard]] bool has_seen() const { return has_seen_; }
  // All processes of the job have ended.
  [[nodiscard]] bool is_over() const { return monitor_.tree().empty(); }

 private:
  Watch(const Options& options, double began_s, std::optional<record::Writer> writer,
        observe::Monitor monitor);

  void record(const model::Tick& tick);
  void record_changes();
  void judge(const model::Tick& tick);
  void judge_series(const model::Tick& tick);
  void note_limits_of_sight();
  void note_agents();
  [[nodiscard]] double budgeted_s() const;

  Pace pace_;
  double cost_before_s_ = 0;  // the first tick takes in all that is there
  double began_s_ = 0;
  std::optional<record::Writer> writer_;
  observe::Monitor monitor_;
  judge::LiveVerdict live_;
  std::optional<RecordingJudge> recording_judge_;  // where there is a recording
  model::Judgement of_series_;
  model::Judgement judgement_;
  bool is_of_recording_ = false;
  const model::Tick* latest_ = nullptr;
  double next_judgement_s_ = 0;
  double next_kept_s_ = 0;
  bool first_ = true;
  bool has_steps_ = false;
  bool has_seen_ = false;
  std::size_t noted_ = 0;
  std::vector<std::string> not_entered_;  // as recorded
  std::size_t not_entered_count_ = 0;
  std::vector<model::TrimTrial> trim_trials_;
  std::optional<SnapshotScheduler> looks_;
};

}  // namespace lowtide::watch
