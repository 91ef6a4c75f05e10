// Processes of the job that nobody reads.
//
// The kernel shows an ordinary user no process that starts and ends between
// two ticks. What can be said is a lower bound (seen too young and then gone, or
// reaped by us) and an upper one (the pids that were given out meanwhile).

#include <algorithm>

#include "observe/tree/process_tree.h"

namespace lowtide::observe {

// An orphan that came to us and was gone before it was listed. A zombie that was
// listed is a stranger by now, and counted.
void ProcessTree::count_unseen(std::int32_t pid) {
  if (pid == options_.root_pid || places_.count(pid) != 0) return;
  const auto same = [pid](const Stranger& stranger) { return stranger.pid == pid; };
  if (std::any_of(strangers_.begin(), strangers_.end(), same)) return;
  std::erase_if(young_, same);
  ++short_lived_;
}

// The processes that were too young at the last tick and are gone now.
void ProcessTree::count_vanished() {
  for (const Stranger& young : young_) {
    const bool is_there = std::any_of(unknown_.begin(), unknown_.end(), [&](const Newcomer& newcomer) {
      return newcomer.pid == young.pid && newcomer.stat.start_ticks == young.start_ticks;
    });
    if (!is_there) ++short_lived_;
  }
  young_.clear();
}

void ProcessTree::count_pids(std::int64_t newest) {
  if (counted_pid_ >= 0 && newest >= 0) {
    const std::int64_t given =
        newest >= counted_pid_ ? newest - counted_pid_ : highest_pid_ - counted_pid_ + newest;
    pids_given_ += static_cast<std::uint64_t>(std::max<std::int64_t>(given, 0));
  }
  if (newest >= 0) counted_pid_ = newest;
}

}  // namespace lowtide::observe
