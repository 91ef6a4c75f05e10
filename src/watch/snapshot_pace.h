// How often a snapshot of a process may be taken.
//
// A snapshot costs the job the pause of the fork, 12 ms for a GiB of 4K pages, and then a page fault for
// every page that the job writes while the child lives. So the pauses stay below a thousandth of the time
// (CPU time of the fork: waiting for a CPU does not predict the next pause), the snapshots below a fiftieth,
// and the gaps grow with the age of the run: at first a few seconds show the most, later hours do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lowtide::watch {

// What a process seems to be doing before its first snapshot.
enum class StartUp {
  Unknown,
  Loading,   // libraries were loaded a moment ago: imports are running
  Stepping,  // the first steps are done
};

class SnapshotPace {
 public:
  static constexpr double kFirstS = 4;  // imports, the model, the first steps
  static constexpr double kFirstSteppingS = 1.5;
  static constexpr double kLongestLoadS = 20;  // a job may load libraries all the time
  static constexpr double kLeastGapS = 3;
  static constexpr double kShortPauseS = 0.05;
  // These may cost five times as much, because most runs that are watched for a leak are short. Snapshots of
  // the start-up show no growth: they do not count once the steps have begun.
  static constexpr int kFirstLooks = 4;
  static constexpr double kGapOfAge = 0.5;
  static constexpr double kPauseFactor = 1000;
  static constexpr double kWalkFactor = 50;
  static constexpr double kForkSPerByte = 0.012 / (1ULL << 30U);

  // `eager`: there is a reason for a snapshot now, such as a verdict that leans to a leak for the first time.
  [[nodiscard]] bool is_due(double age_s, std::uint64_t resident_bytes, bool eager,
                            StartUp start_up = StartUp::Unknown) const {
    constexpr double kHaste = 5;
    const double pause_s = std::max(pause_s_, fork_s(resident_bytes));
    const int looks = start_up == StartUp::Stepping ? looks_ - looks_before_steps_ : looks_;
    const bool is_early = looks < kFirstLooks && pause_s <= kShortPauseS;
    if (start_up == StartUp::Loading && age_s < kLongestLoadS) return false;
    if (!asked_s_) {
      const double first_s = start_up == StartUp::Stepping ? kFirstSteppingS : kFirstS;
      return age_s >= std::max(first_s, kPauseFactor * pause_s / (is_early ? kHaste : 1));
    }
    const double since_s = age_s - *asked_s_;
    const double costs_s = std::max(kPauseFactor * pause_s, kWalkFactor * walk_s_);
    if (eager || is_early) return since_s >= std::max(eager ? 1.0 : kLeastGapS, costs_s / kHaste);
    return since_s >= std::max({kLeastGapS, kGapOfAge * *asked_s_, costs_s});
  }

  // Once, when the process ends: this snapshot does not delay the job. Also if one was requested just now: it
  // may not come any more, and if it did, the agent takes no other for a second.
  [[nodiscard]] bool is_due_at_end(double age_s, std::uint64_t resident_bytes) const {
    constexpr double kFactor = 100;
    return age_s >= std::max(kFirstS, kFactor * std::max(pause_s_, fork_s(resident_bytes)));
  }

  // Counts even if it fails, so that a process without snapshots is not asked at every tick.
  void note_asked(double age_s, StartUp start_up = StartUp::Unknown) {
    asked_s_ = age_s;
    ++looks_;
    if (start_up != StartUp::Stepping) looks_before_steps_ = looks_;
  }
  [[nodiscard]] int looks() const { return looks_; }
  void note_taken(double fork_s, double walk_s) {
    pause_s_ = fork_s;
    walk_s_ = walk_s;
  }

 private:
  [[nodiscard]] static double fork_s(std::uint64_t resident_bytes) {
    return kForkSPerByte * static_cast<double>(resident_bytes);
  }

  std::optional<double> asked_s_;  // by the age of the process
  int looks_ = 0;
  int looks_before_steps_ = 0;
  double pause_s_ = 0;
  double walk_s_ = 0;
};

}  // namespace lowtide::watch
