// A job that is watched: every tick is read, recorded and judged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "judge/live.h"
#include "model/judgement.h"
#include "model/outline.h"
#include "model/shared_group.h"
#include "model/snapshot.h"
#include "model/trim_trial.h"
#include "observe/monitor.h"
#include "record/header.h"
#include "record/writer.h"
#include "watch/pace.h"
#include "watch/recording_judge.h"
#include "watch/snapshots/library_versions.h"
#include "watch/snapshots/snapshot_scheduler.h"
#include "watch/snapshots/source_copies.h"

namespace lowtide::watch {

class Watch {
 public:
  struct Options {
    observe::Monitor::Options monitor;
    std::optional<double> interval_s;
    bool take_snapshots = true;  // of Python processes with an agent
    bool copy_sources = true;    // into the recording
    std::string source_folder;   // where the job was started; empty: unknown
  };

  // `began_s`: seconds on the steady clock at which the recording's time is 0. Without a writer the job is
  // judged but not recorded.
  static base::Result<Watch> begin(const Options& options, double began_s,
                                   std::optional<record::Writer> writer);

  // Returns the seconds to wait until the next tick.
  double tick(double step);

  // Between ticks: reads what the agents have sent. Returns in how many seconds to call it again.
  double poll_agents();

  // A child of lowtide has ended.
  void note_exit(std::int32_t pid, int exit_status) { monitor_.tree().note_exit(pid, exit_status); }
  void add_event(model::EventKind kind, const std::string& text);

  // The processes that could not be entered, and why; `more` are not in the list.
  void note_not_entered(const std::vector<std::string>& texts, std::size_t more);

  // Takes a snapshot of every Python process of the job. Returns false if snapshots are switched off.
  bool ask_snapshots() {
    if (snapshots_) snapshots_->ask();
    return snapshots_.has_value();
  }

  // The job has ended: no more snapshots, except of processes that are ending now.
  void end_snapshots() {
    if (snapshots_) snapshots_->end();
  }
  [[nodiscard]] bool awaits_last_snapshot() const {
    return monitor_.agents() != nullptr && monitor_.agents()->awaits_last_walk();
  }

  // The trim trial: every agent makes its allocator return free memory. Waits up to `patience_s` for each
  // agent to start; one that has started gets more time. Call it after the last tick, because memory falls.
  void try_trim(double patience_s);
  [[nodiscard]] const std::vector<model::TrimTrial>& trim_trials() const { return trim_trials_; }

  // Records what the watch itself cost, and closes the recording.
  void end();

  [[nodiscard]] double at_s() const;
  // The series that is judged.
  [[nodiscard]] model::Outline outline() const { return live_.detector().outline(); }
  // The snapshots of the latest tick.
  [[nodiscard]] std::span<const model::Snapshot> snapshots() const {
    return snapshots_ ? std::span<const model::Snapshot>(snapshots_->taken())
                      : std::span<const model::Snapshot>();
  }
  // The judgement of the recording, as in the report (recording_judge.h). While there is none yet, that of
  // the series of the process tree alone. `at_s` is the time that it is about.
  [[nodiscard]] const model::Judgement& judgement() const { return judgement_; }
  // The first line of the report, of that judgement.
  [[nodiscard]] const show::AnswerWords& answer() const { return answer_; }
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
  void note_blind_spots();
  void note_shared_objects();
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
  show::AnswerWords answer_;
  std::uint64_t peak_bytes_ = 0;
  bool may_leak_ = false;  // by the judgement of the recording: the process tree or a GPU
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
  std::optional<SnapshotScheduler> snapshots_;
  std::optional<SourceCopies> source_copies_;
  LibraryVersions library_versions_;
  std::vector<model::SharedGroup> shared_groups_;  // as they were recorded last
  std::set<int> tmpfs_;                            // whose paths are recorded
};

}  // namespace lowtide::watch
