// Which process has its snapshot next, and when.
//
// One snapshot at a time, because each needs memory for the pages that its process writes. With four workers
// a trainer had every fifth: one in 25 s where a walk takes 5 s, as on a busy machine. So workers and other
// processes alternate. Shared pages cannot be counted while a child walks; after each walk there is time for
// that. Workers that are started again every epoch have a pace of their own each (snapshot_pace.h), so all
// walks together have a budget too: in a DataLoader job they used a sixth of the CPU time.
#pragma once

#include <algorithm>
#include <utility>

namespace lowtide::watch {

class SnapshotTurns {
 public:
  struct Candidate {
    bool is_worker = false;
    int requests = 0;  // requests: one that runs no Python never answers, and must not delay the others
  };

  // The credit is for the first snapshots of each process: one process alone does not reach it.
  [[nodiscard]] bool is_free(double at_s) const {
    return at_s >= free_s_ && spent_s_ <= kCreditS + kCreditWalks * longest_s_ + kShare * at_s;
  }

  // True if `one` comes before `other`.
  [[nodiscard]] bool is_before(const Candidate& one, const Candidate& other) const {
    return rank(one) < rank(other);
  }

  void note_asked(bool is_worker) { was_worker_ = is_worker; }
  // The walk took `whole_s`, of that `cpu_s` on a CPU, and is known to have ended at `at_s`.
  void note_ended(double at_s, double whole_s, double cpu_s) {
    free_s_ = at_s + std::min(whole_s, kLongestRestS);
    spent_s_ += cpu_s;
    longest_s_ = std::max(longest_s_, cpu_s);
  }

 private:
  // Three readings of PSS at least, also on a busy machine: the verdict on a worker that copies pages needs
  // twelve.
  static constexpr double kLongestRestS = 8;

  static constexpr double kShare = 0.02;  // of one CPU
  static constexpr double kCreditS = 3;
  static constexpr double kCreditWalks = 4;

  [[nodiscard]] std::pair<bool, int> rank(const Candidate& one) const {
    return {one.is_worker == was_worker_, one.requests};
  }

  bool was_worker_ = true;
  double free_s_ = 0;
  double spent_s_ = 0;    // CPU time of all walks
  double longest_s_ = 0;  // of one
};

}  // namespace lowtide::watch
