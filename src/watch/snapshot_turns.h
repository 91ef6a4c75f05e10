// Which process has its snapshot next, and when.
//
// One snapshot at a time, because each needs memory for the pages that its process writes. With four workers
// a trainer had every fifth: one in 25 s where a walk takes 5 s, as on a busy machine. So workers and other
// processes alternate. Shared pages cannot be counted while a child walks; after each walk there is time for
// that.
#pragma once

#include <algorithm>
#include <utility>

namespace lowtide::watch {

class SnapshotTurns {
 public:
  struct Candidate {
    bool is_worker = false;
    int looks = 0;  // requests: one that runs no Python never answers, and must not delay the others
  };

  [[nodiscard]] bool is_free(double at_s) const { return at_s >= free_s_; }

  // True if `one` comes before `other`.
  [[nodiscard]] bool is_before(const Candidate& one, const Candidate& other) const {
    return rank(one) < rank(other);
  }

  void note_asked(bool is_worker) { was_worker_ = is_worker; }
  // The walk took `whole_s` and is known to have ended at `at_s`.
  void note_ended(double at_s, double whole_s) { free_s_ = at_s + std::min(whole_s, kLongestRestS); }

 private:
  static constexpr double kLongestRestS = 3;  // some readings of PSS, also where ticks are a second apart

  [[nodiscard]] std::pair<bool, int> rank(const Candidate& one) const {
    return {one.is_worker == was_worker_, one.looks};
  }

  bool was_worker_ = true;
  double free_s_ = 0;
};

}  // namespace lowtide::watch
