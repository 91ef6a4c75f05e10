// Who belongs to the job, at every tick.
//
// Whatever descends from the root belongs to it, and stays in it when its
// parent dies. A process is ours when its parent is; when it was handed to us
// because its own parent died (a subreaper gets the orphans of its children);
// or when it is in a session or a process group that a process of the job created, which
// is how daemons are found that we cannot be the reaper of.
//
// /proc is listed only when the kernel has given out a new pid since the last
// time. Processes that are not ours are remembered, so that each is looked at
// once; again only when its pid may have been given to another since.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/process.h"
#include "observe/tree/recent_pids.h"
#include "observe/tree/shared_pages.h"
#include "observe/tree/worker_slots.h"
#include "procfs/kernel_clock.h"
#include "procfs/pid_list.h"
#include "procfs/process_files.h"
#include "procfs/roots.h"
#include "procfs/text_file.h"

namespace lowtide::observe {

struct Member {
  procfs::ProcessFiles files;
  model::ProcessInfo info;
  // Shared: a fork has the words of its parent, and there may be thousands of them.
  std::shared_ptr<const std::vector<std::string>> arguments = {};
  procfs::Status status = {};  // of the latest tick
  SharedAccount account = {};
  std::optional<model::PssReading> pss = {};  // where the latest tick read it
  bool is_forked = false;
  bool has_family = false;         // shares pages by fork: was forked, or has such children
  std::uint64_t minor_faults = 0;  // of the latest tick; only where it has a family
  bool pss_denied = false;
  bool has_settled = false;          // its PSS was read since it became what it is
  bool statm_is_enough = false;      // it would have been at the latest tick
  double ask_statm_s = 0;            // not before then: it was asked in vain
  double read_status_s = 0;          // then in any case
  bool uses_gpu = false;             // has opened the driver, see gpu_watch.h
  std::uint64_t gpu_look_bytes = 0;  // as large it must be to be asked for that again
  double look_again_s = 0;           // its program may have changed by exec: when to look
  double looked_s = 0;               // when that was done last

  [[nodiscard]] CheapCounters counters() const;
  [[nodiscard]] std::span<const std::string> words() const;
};

class ProcessTree {
 public:
  struct Options {
    procfs::Roots roots;
    std::int32_t root_pid = 0;
    std::int32_t own_pid = 0;     // the monitor: never a part of what it watches
    bool adopts_orphans = false;  // the monitor is the subreaper of the job
    std::int32_t helper_pid = 0;  // a child of the monitor that is none of the job's
  };

  // Gone where there is no such process, Unsupported for a kernel thread. With
  // adopts_orphans a root that has ended is no error: its orphans are the tree.
  static base::Result<ProcessTree> open(const Options& options, double at_s);

  // While a snapshot is being taken, a fork of the job may be the one that takes it, and has not got its name
  // yet.
  void expect_walker(bool may_come) { walker_may_come_ = may_come; }

  // Reads the status of every member, drops those that have ended and takes in
  // those that have come. `at_s` is the time on the recording's clock.
  void refresh(double at_s);

  [[nodiscard]] std::vector<Member>& members() { return members_; }
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] const Member* find(std::int64_t pid) const;

  // Of the latest refresh.
  [[nodiscard]] const std::vector<model::ProcessInfo>& begun() const { return begun_; }
  [[nodiscard]] const std::vector<model::ProcessInfo>& changed() const { return changed_; }
  [[nodiscard]] const std::vector<model::ProcessInfo>& ended() const { return ended_; }
  // What those that ended had shared with others, and left behind.
  [[nodiscard]] std::uint64_t left_behind_bytes() const { return left_behind_bytes_; }

  // Since last asked: memory of families that may have been copied on write or
  // moved between members. Faults are an upper bound: a page that was given back
  // and taken again counts too.
  std::uint64_t take_moved_bytes() { return std::exchange(moved_bytes_, 0); }

  // Processes that were seen, or reaped by us, and had ended before they could
  // have a series of their own. A lower bound: most of them live and die between
  // two ticks, and the kernel counts them for nobody.
  [[nodiscard]] std::uint64_t short_lived() const { return short_lived_; }
  // The upper one: pids that were given out since we look and that are no members.
  // Threads have pids too, and so have the processes of others.
  [[nodiscard]] std::uint64_t short_lived_at_most() const {
    return pids_given_ - std::min<std::uint64_t>(pids_given_, ids_);
  }
  [[nodiscard]] bool empty() const { return members_.empty(); }

  // A child of lowtide was reaped: only its parent learns how it ended.
  void note_exit(std::int32_t pid, int exit_status);

 private:
  struct Stranger {
    std::int32_t pid = 0;
    std::uint64_t start_ticks = 0;
  };
  struct Newcomer {
    std::int32_t pid = 0;
    procfs::Stat stat;
  };

  ProcessTree(const Options& options, double at_s);

  void read_members(double at_s);
  static bool read_from_statm(Member& member);
  template <typename Read>
  auto with_room(const Read& read);
  bool read_memory(Member& member, double at_s);
  void read_faults(Member& member);
  void end_member(Member& member, double at_s);
  void take_late_exits();
  void count_unseen(std::int32_t pid);
  void count_vanished();
  void count_pids(std::int64_t newest);
  void find_newcomers(double at_s);
  void collect_unknown();
  [[nodiscard]] bool is_still_there(const Stranger& stranger) const;
  bool has_new_pids();
  [[nodiscard]] bool belongs(const procfs::Stat& stat) const;
  bool admit(const procfs::Stat& stat, double at_s);
  void identify(Member& member, double at_s);
  void look_again(Member& member, double at_s);

  Options options_;
  double began_boot_s_ = 0;  // on the kernel's clock, where ours says 0
  procfs::PidList pids_;
  procfs::KeptText loadavg_;
  RecentPids given_out_;
  bool walker_may_come_ = false;
  bool list_again_ = false;  // some were too young to be distinguished
  std::int64_t counted_pid_ = -1;
  std::int64_t highest_pid_ = 0;  // after which the kernel starts again
  std::uint64_t pids_given_ = 0;
  std::vector<Member> members_;                           // in the order in which they came
  std::unordered_map<std::int64_t, std::size_t> places_;  // of the members, by pid
  std::vector<Stranger> strangers_;                       // sorted by pid
  std::size_t next_recheck_ = 0;                          // of the strangers, in turn
  std::vector<Newcomer> unknown_;
  std::vector<Stranger> young_;        // ours, too young to be taken in when last looked at
  std::vector<std::int64_t> leaders_;  // pids of the job that created a session or a group, sorted
  std::vector<std::pair<std::int32_t, int>> exits_;
  std::vector<model::ProcessInfo> without_status_;  // ended a moment ago, not yet reaped
  WorkerSlots lanes_;
  std::uint32_t ids_ = 0;
  std::uint64_t short_lived_ = 0;
  std::uint64_t left_behind_bytes_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::vector<model::ProcessInfo> begun_;
  std::vector<model::ProcessInfo> changed_;
  std::vector<model::ProcessInfo> ended_;
};

}  // namespace lowtide::observe
