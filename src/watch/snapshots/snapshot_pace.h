// How often a snapshot of a process may be taken.
//
// A snapshot costs the job the pause of the fork, 12 ms for a GiB of 4K pages, and then a page fault for
// every page that the job writes while the child lives. So the pauses stay below a thousandth of the time,
// the snapshots below a fiftieth, and the gaps grow with the age of the run: at first a few seconds show the
// most, later hours do. Both are counted as CPU time, because waiting for a CPU does not predict the next
// one: the child has a low priority, and on a busy machine it takes ten times as long for the same work. It
// is there for at most half of the time, because shared pages are not counted meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lowtide::watch {

// What a process seems to be doing before its first snapshot.
enum class StartUp {
  Unknown,
  Loading,    // libraries were loaded a moment ago: imports are running
  Importing,  // its main thread was in an import a moment ago
  Stepping,   // the first steps are done
};

// What a snapshot has cost.
struct SnapshotCost {
  double fork_s = 0;               // CPU time of the fork; 0: not known
  double walk_s = 0;               // CPU time of the child
  double whole_s = 0;              // from the start of the child to its end
  std::uint64_t forked_bytes = 0;  // whose page tables were copied
};

class SnapshotPace {
 public:
  static constexpr double kFirstS = 4;  // imports, the model, the first steps
  static constexpr double kFirstSteppingS = 1.5;
  static constexpr double kLongestLoadS = 20;    // a job may load libraries all the time
  static constexpr double kLongestImportS = 60;  // a job may run in an import from start to end
  static constexpr double kLeastGapS = 3;
  static constexpr double kShortPauseS = 0.05;
  // These may cost five times as much, because most runs that are watched for a leak are short. Snapshots of
  // the start-up show no growth: they do not count once the steps have begun, or the first imports have
  // ended.
  static constexpr int kFirstRequests = 4;
  static constexpr double kGapOfAge = 0.5;
  static constexpr double kPauseFactor = 1000;
  static constexpr double kWalkFactor = 50;
  static constexpr double kChildFactor = 2;
  static constexpr double kForkSPerByte = 0.012 / (1ULL << 30U);

  // `eager`: there is a reason for a snapshot now, such as a verdict that leans to a leak for the first time.
  // `forked_bytes`: the memory whose page tables a fork copies, that is all but the pages of files.
  [[nodiscard]] bool is_due(double age_s, std::uint64_t forked_bytes, bool eager,
                            StartUp start_up = StartUp::Unknown) const {
    constexpr double kHaste = 5;
    const double pause_s = expected_pause_s(forked_bytes);
    const int requests = requests_ - (start_up == StartUp::Stepping  ? requests_before_steps_
                                      : start_up == StartUp::Unknown ? requests_in_first_imports_
                                                                     : 0);
    const bool is_early = requests < kFirstRequests && pause_s <= kShortPauseS;
    if (start_up == StartUp::Loading && age_s < kLongestLoadS) return false;
    if (start_up == StartUp::Importing && age_s < kLongestImportS) return false;
    if (!asked_s_) {
      const double first_s = start_up == StartUp::Stepping ? kFirstSteppingS : kFirstS;
      return age_s >= std::max(first_s, kPauseFactor * pause_s / (is_early ? kHaste : 1));
    }
    const double since_s = age_s - *asked_s_;
    const double costs_s = std::max(kPauseFactor * pause_s, kWalkFactor * last_.walk_s);
    const double child_s = kChildFactor * last_.whole_s;
    if (eager || is_early) return since_s >= std::max({eager ? 1.0 : kLeastGapS, costs_s / kHaste, child_s});
    return since_s >= std::max({kLeastGapS, kGapOfAge * *asked_s_, costs_s, child_s});
  }

  // Once, when the process ends, or when an allocation on a GPU fails. Also if one was requested just now: it
  // may not come any more, and if it did, the agent takes no other for a second.
  [[nodiscard]] bool is_due_at_end(double age_s, std::uint64_t forked_bytes) const {
    constexpr double kFactor = 100;
    return age_s >= std::max(kFirstS, kFactor * expected_pause_s(forked_bytes));
  }

  // Counts even if it fails, so that a process without snapshots is not asked at every tick.
  void note_asked(double age_s, StartUp start_up = StartUp::Unknown) {
    asked_s_ = age_s;
    if (start_up == StartUp::Importing && requests_in_first_imports_ == requests_)
      ++requests_in_first_imports_;
    ++requests_;
    if (start_up != StartUp::Stepping) requests_before_steps_ = requests_;
  }
  [[nodiscard]] int requests() const { return requests_; }
  void note_taken(const SnapshotCost& cost) { last_ = cost; }

 private:
  // That of the last fork, in proportion: it is much shorter with huge pages.
  [[nodiscard]] double expected_pause_s(std::uint64_t forked_bytes) const {
    if (last_.fork_s <= 0) return kForkSPerByte * static_cast<double>(forked_bytes);
    const auto before_bytes = static_cast<double>(std::max<std::uint64_t>(last_.forked_bytes, 1));
    return last_.fork_s * std::max(1.0, static_cast<double>(forked_bytes) / before_bytes);
  }

  std::optional<double> asked_s_;  // by the age of the process
  int requests_ = 0;
  int requests_before_steps_ = 0;
  int requests_in_first_imports_ = 0;
  SnapshotCost last_;
};

}  // namespace lowtide::watch
