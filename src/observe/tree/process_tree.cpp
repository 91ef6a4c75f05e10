#include "observe/tree/process_tree.h"

#include <algorithm>
#include <charconv>

#include "observe/tree/roles.h"
#include "procfs/kernel_clock.h"
#include "procfs/process_info.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

using model::ProcessRole;

// A fork that has not yet called exec looks like its parent. Most live no
// longer than that, and those that do are taken for what they are a tick later.
constexpr double kYoungS = 0.05;
constexpr double kYoungWhileWalkedS =
    1;  // the name of a walker is set within microseconds, of processor time

// Where statm is enough, status is still read after so long. What may be missed
// until then: memory that went to swap while as much or more was newly taken, and
// as much shared memory gained as of files lost in one tick.
constexpr double kStatusEveryS = 10;

// A process gives up its memory before its children get another parent. Beside a busy machine that may take a
// while.
constexpr double kLongestExitS = 2;

constexpr std::size_t kMostLeaders = 4096;
constexpr std::size_t kMostUnreaped = 64;

std::optional<int> parse_rank(const base::Result<std::optional<std::string>>& value) {
  if (!value || !value.value()) return std::nullopt;
  const std::string& text = *value.value();
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || end != text.data() + text.size() || rank < 0) return std::nullopt;
  return rank;
}

std::optional<int> read_rank(const procfs::Roots& roots, std::int32_t pid) {
  if (const auto rank = parse_rank(procfs::read_environment_value(roots, pid, "RANK"))) return rank;
  return parse_rank(procfs::read_environment_value(roots, pid, "LOCAL_RANK"));
}

std::string joined(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

// One that is ending gives up its memory before it becomes a zombie.
bool has_ended(const procfs::Status& status) {
  return status.state == 'Z' || status.state == 'X' || !status.has_memory;
}

// No descriptor is left, neither of this process nor of the machine.
template <typename Value>
bool has_no_room(const base::Result<Value>& read) {
  return !read && read.error().code == base::ErrorCode::Io;
}

}  // namespace

CheapCounters Member::counters() const {
  if (status.has_split) {
    return {status.anon_bytes, status.shmem_bytes, status.file_bytes, status.swap_bytes};
  }
  return {status.rss_bytes, 0, 0, status.swap_bytes};
}

std::span<const std::string> Member::words() const {
  if (arguments == nullptr) return {};
  return *arguments;
}

ProcessTree::ProcessTree(const Options& options, double at_s)
    : options_(options),
      began_boot_s_(procfs::read_boot_seconds() - at_s),
      pids_(options.roots),
      loadavg_(options.roots.proc + "/loadavg"),
      highest_pid_(procfs::read_highest_pid(options.roots)) {
  static_cast<void>(has_new_pids());  // from now on they count
  // A job that we have started may have forked before this line is reached. Should loadavg count the pids of
  // another namespace, they are far away.
  constexpr std::int64_t kNear = 10'000;
  if (options.adopts_orphans && counted_pid_ >= options.root_pid && counted_pid_ < options.root_pid + kNear) {
    pids_given_ = static_cast<std::uint64_t>(counted_pid_ - options.root_pid +
                                             (options.helper_pid > options.root_pid ? 0 : 1));
  }
}

base::Result<ProcessTree> ProcessTree::open(const Options& options, double at_s) {
  ProcessTree tree(options, at_s);
  auto files = procfs::ProcessFiles::open(options.roots, options.root_pid);
  const auto stat = files ? files.value().read_stat() : base::Result<procfs::Stat>(files.error());
  // A launcher may be gone before we look, and what it left behind is ours all the same.
  if (options.adopts_orphans && (!stat || stat.value().state == 'Z')) {
    tree.find_newcomers(at_s);
    return tree;
  }
  if (!stat) return stat.error();
  if (stat.value().kernel_thread) {
    return base::Error{base::ErrorCode::Unsupported, "it is a kernel thread, which has no memory of its own"};
  }
  if (stat.value().state == 'Z') {
    return base::Error{base::ErrorCode::Ended,
                       "it has ended and is a zombie: its parent has not collected it yet"};
  }
  if (!tree.admit(stat.value(), at_s) && !options.adopts_orphans) {
    return base::Error{base::ErrorCode::Ended, "it has ended"};
  }
  tree.find_newcomers(at_s);
  return tree;
}

const Member* ProcessTree::find(std::int64_t pid) const {
  const auto found = places_.find(pid);
  return found == places_.end() ? nullptr : &members_[found->second];
}

void ProcessTree::note_exit(std::int32_t pid, int exit_status) {
  exits_.emplace_back(pid, exit_status);
}

void ProcessTree::refresh(double at_s) {
  begun_.clear();
  changed_.clear();
  ended_.clear();
  left_behind_bytes_ = 0;
  take_late_exits();
  read_members(at_s);
  if (has_new_pids()) find_newcomers(at_s);
  exits_.clear();
}

// A process is seen to end before its parent learns how.
void ProcessTree::take_late_exits() {
  for (const auto& [pid, status] : exits_) {
    const auto late =
        std::find_if(without_status_.begin(), without_status_.end(),
                     [reaped = pid](const model::ProcessInfo& info) { return info.pid == reaped; });
    if (late == without_status_.end()) {
      count_unseen(pid);
      continue;
    }
    late->exit_status = status;
    changed_.push_back(*late);
    without_status_.erase(late);
  }
}

void ProcessTree::read_members(double at_s) {
  bool any_ended = false;
  for (Member& member : members_) {
    member.pss.reset();
    const CheapCounters before = member.counters();
    if (read_memory(member, at_s)) {
      if (member.has_family) read_faults(member);
      const std::uint64_t shmem = member.counters().shmem_bytes;
      moved_bytes_ += std::max(shmem, before.shmem_bytes) - std::min(shmem, before.shmem_bytes);
      if (at_s >= member.look_again_s) look_again(member, at_s);
      continue;
    }
    const Contribution last = member.account.contribution(before);
    if (last.held_bytes() > last.own_bytes) left_behind_bytes_ += last.held_bytes() - last.own_bytes;
    if (member.has_family) moved_bytes_ += last.held_bytes() + before.anon_bytes;
    end_member(member, at_s);
    any_ended = true;
  }
  if (!any_ended) return;
  members_.erase(std::remove_if(members_.begin(), members_.end(),
                                [](const Member& member) { return member.info.ended_s.has_value(); }),
                 members_.end());
  places_.clear();
  for (std::size_t at = 0; at < members_.size(); ++at) places_[members_[at].info.pid] = at;
}

// What members keep open is worth less than a process that could not be read, and would be taken for gone.
template <typename Read>
auto ProcessTree::with_room(const Read& read) {
  auto done = read();
  if (!has_no_room(done)) return done;
  for (Member& member : members_) member.files.close_files();
  return read();
}

// statm costs a third of status. It contains what is resident and how much of that
// is not anonymous: where the latter is as before, all that moved is anonymous
// memory, by a known amount. Only what it may have lost to swap is in status
// alone, so a fall is looked at in full, and so is every process with swap.
bool ProcessTree::read_from_statm(Member& member) {
  procfs::Status& known = member.status;
  if (!known.has_split || known.swap_bytes > 0) return false;
  const auto statm = member.files.read_statm();
  if (!statm || statm.value().resident_bytes < known.rss_bytes ||
      statm.value().shared_bytes != known.file_bytes + known.shmem_bytes) {
    return false;
  }
  known.rss_bytes = statm.value().resident_bytes;
  known.anon_bytes = statm.value().resident_bytes - statm.value().shared_bytes;
  known.writable_bytes = statm.value().writable_bytes;
  return true;
}

// False: it has ended.
bool ProcessTree::read_memory(Member& member, double at_s) {
  const bool asks_statm = member.statm_is_enough && at_s >= member.ask_statm_s && at_s < member.read_status_s;
  if (asks_statm && read_from_statm(member)) return true;
  const auto status = with_room([&] { return member.files.read_status(); });
  if (has_no_room(status)) return true;  // as it was
  if (!status || has_ended(status.value())) return false;
  member.statm_is_enough = status.value().rss_bytes >= member.status.rss_bytes &&
                           status.value().file_bytes == member.status.file_bytes &&
                           status.value().shmem_bytes == member.status.shmem_bytes;
  // A kernel on which the two disagree would have us read both.
  if (asks_statm && member.statm_is_enough) member.ask_statm_s = at_s + kStatusEveryS;
  member.status = status.value();
  member.read_status_s = at_s + kStatusEveryS;
  return true;
}

// A page that is copied on write leaves RSS as it is; what moves is the count of faults.
void ProcessTree::read_faults(Member& member) {
  const auto stat = member.files.read_stat();
  if (!stat) return;
  const std::uint64_t faults = stat.value().minor_faults;
  if (member.minor_faults > 0 && faults > member.minor_faults) {
    moved_bytes_ += (faults - member.minor_faults) * procfs::page_bytes();
  }
  member.minor_faults = faults;
}

void ProcessTree::end_member(Member& member, double at_s) {
  member.info.ended_s = at_s;
  for (const auto& [pid, status] : exits_) {
    if (pid == member.info.pid) member.info.exit_status = status;
  }
  lanes_.leave(member.info.id);
  ended_.push_back(member.info);
  if (!member.info.exit_status) without_status_.push_back(member.info);
  if (without_status_.size() > kMostUnreaped) without_status_.erase(without_status_.begin());
  // A zombie is still listed: it must not come in again as something new.
  const Stranger stranger{static_cast<std::int32_t>(member.info.pid), member.info.start_ticks};
  const auto place = std::lower_bound(strangers_.begin(), strangers_.end(), stranger.pid,
                                      [](const Stranger& s, std::int32_t pid) { return s.pid < pid; });
  strangers_.insert(place, stranger);
}

// The last number in loadavg is the newest pid. Threads get pids too, so on a
// busy machine this says yes nearly always; on a quiet one it saves the listing.
bool ProcessTree::has_new_pids() {
  procfs::TextBuffer buffer;
  const auto text = loadavg_.read(buffer);
  std::int64_t newest = -1;
  if (text) {
    const std::string_view line = text.value().substr(0, text.value().find('\n'));
    const std::size_t blank = line.rfind(' ');
    if (blank != std::string_view::npos) {
      std::from_chars(line.data() + blank + 1, line.data() + line.size(), newest);
    }
  }
  count_pids(newest);
  return given_out_.note(newest) || std::exchange(list_again_, false);
}

bool ProcessTree::is_still_there(const Stranger& stranger) const {
  const auto stat = procfs::read_stat(options_.roots, stranger.pid);
  return stat && stat.value().start_ticks == stranger.start_ticks;
}

// Listed pids that are neither members nor known strangers; strangers that are
// no longer listed are forgotten. A pid that the kernel gave to another process
// since we looked is new again; one more is looked at in turn, should loadavg
// count the pids of another namespace than /proc shows.
void ProcessTree::collect_unknown() {
  unknown_.clear();
  if (!pids_.refresh()) return;
  std::size_t kept = 0;
  std::size_t stranger = 0;
  if (++next_recheck_ >= strangers_.size()) next_recheck_ = 0;
  for (const std::int32_t pid : pids_.pids()) {
    while (stranger < strangers_.size() && strangers_[stranger].pid < pid) ++stranger;
    const bool known = stranger < strangers_.size() && strangers_[stranger].pid == pid;
    const bool doubtful = known && (stranger == next_recheck_ || given_out_.may_include(pid));
    if (known && (!doubtful || is_still_there(strangers_[stranger]))) {
      strangers_[kept++] = strangers_[stranger++];
    } else if (pid != options_.own_pid && places_.count(pid) == 0) {
      unknown_.push_back({pid, {}});
    }
  }
  strangers_.resize(kept);
}

void ProcessTree::find_newcomers(double at_s) {
  collect_unknown();
  std::erase_if(unknown_, [this](Newcomer& newcomer) {
    const auto stat = procfs::read_stat(options_.roots, newcomer.pid);
    if (!stat) return true;
    newcomer.stat = stat.value();
    return false;
  });
  count_vanished();
  const auto is_young = [&](const Newcomer& newcomer) {
    return began_boot_s_ + at_s - procfs::to_seconds(newcomer.stat.start_ticks) <
           (walker_may_come_ ? kYoungWhileWalkedS : kYoungS);
  };
  // A parent may have the higher pid, so until nothing more is found.
  bool found = true;
  bool any_young = false;
  std::vector<std::int64_t> ending;
  for (const model::ProcessInfo& info : without_status_) {
    if (at_s - info.ended_s.value_or(0) < kLongestExitS) ending.push_back(info.pid);
  }
  while (found) {
    found = false;
    for (Newcomer& newcomer : unknown_) {
      if (newcomer.pid == 0 || !belongs(newcomer.stat)) continue;
      if (is_young(newcomer)) {
        any_young = true;
        young_.push_back({newcomer.pid, newcomer.stat.start_ticks});
      } else if (newcomer.stat.state != 'Z') {
        const bool is_in = admit(newcomer.stat, at_s);
        found = is_in || found;
        if (!is_in) ending.push_back(newcomer.pid);
      } else {
        ++short_lived_;
        strangers_.push_back({newcomer.pid, newcomer.stat.start_ticks});  // is counted once
      }
      newcomer.pid = 0;
    }
  }
  for (const Newcomer& newcomer : unknown_) {
    if (newcomer.pid == 0) continue;
    // The child of one that is too young itself, or that is ending: its parent may be ours at the next tick.
    if (is_young(newcomer) || std::find(ending.begin(), ending.end(), newcomer.stat.ppid) != ending.end()) {
      any_young = true;
      ending.push_back(newcomer.pid);  // so may those of its own children
    } else {
      strangers_.push_back({newcomer.pid, newcomer.stat.start_ticks});
    }
  }
  std::sort(strangers_.begin(), strangers_.end(),
            [](const Stranger& a, const Stranger& b) { return a.pid < b.pid; });
  list_again_ = any_young;
}

bool ProcessTree::belongs(const procfs::Stat& stat) const {
  if (stat.pid == options_.own_pid || stat.pid == options_.helper_pid || stat.kernel_thread) return false;
  if (stat.comm() == wire::kWalkerName) return false;  // a copy of the job that we made, and that ends soon
  if (options_.adopts_orphans && stat.ppid == options_.own_pid) return true;
  if (find(stat.ppid) != nullptr) return true;
  return std::binary_search(leaders_.begin(), leaders_.end(), stat.session) ||
         std::binary_search(leaders_.begin(), leaders_.end(), stat.pgrp);
}

bool ProcessTree::admit(const procfs::Stat& stat, double at_s) {
  const auto pid = static_cast<std::int32_t>(stat.pid);
  auto files = with_room([&] { return procfs::ProcessFiles::open(options_.roots, pid); });
  if (!files) return false;
  auto status = with_room([&] { return files.value().read_status(); });
  if (!status || has_ended(status.value())) return false;

  Member member{.files = std::move(files).value(),
                .info = {.id = model::ProcessId{ids_++},
                         .pid = stat.pid,
                         .ppid = stat.ppid,
                         .start_ticks = stat.start_ticks,
                         .started_s = procfs::to_seconds(stat.start_ticks) - began_boot_s_},
                .status = status.value()};
  // A parent that was seen before its exec must have its new words before they are compared.
  if (const auto parent = places_.find(stat.ppid); parent != places_.end()) {
    Member& known = members_[parent->second];
    if (known.looked_s < at_s) look_again(known, at_s);
  }
  identify(member, at_s);
  member.account = SharedAccount(member.counters(), member.is_forked);
  if (member.is_forked) {
    member.has_family = true;
    moved_bytes_ += member.status.anon_bytes;
    if (const auto parent = places_.find(stat.ppid); parent != places_.end()) {
      members_[parent->second].has_family = true;
    }
  }
  // Our own session is that of a terminal, with other jobs in it: only what a
  // member founded itself counts.
  for (const std::int64_t leader : {stat.session, stat.pgrp}) {
    if (leader != stat.pid || leaders_.size() >= kMostLeaders) continue;
    const auto place = std::lower_bound(leaders_.begin(), leaders_.end(), leader);
    if (place == leaders_.end() || *place != leader) leaders_.insert(place, leader);
  }
  begun_.push_back(member.info);
  places_[stat.pid] = members_.size();
  members_.push_back(std::move(member));
  return true;
}

// Role, name and place, from what the process looks like now.
void ProcessTree::identify(Member& member, double at_s) {
  const auto pid = static_cast<std::int32_t>(member.info.pid);
  if (auto arguments = procfs::read_arguments(options_.roots, pid)) {
    member.arguments = std::make_shared<const std::vector<std::string>>(std::move(arguments).value());
  }
  member.info.command = joined(member.words());
  const Member* parent = find(member.info.ppid);
  const bool same_words = parent != nullptr && std::equal(parent->words().begin(), parent->words().end(),
                                                          member.words().begin(), member.words().end());
  if (same_words) member.arguments = parent->arguments;
  const bool is_root = pid == options_.root_pid;
  const auto stat = member.files.read_stat();
  // Same words as the parent: a fork without an exec. A program that starts
  // itself again looks alike, and is then a worker by any name.
  member.is_forked = !is_root && same_words;
  RoleClues clues{.arguments = member.words(),
                  .comm = stat ? stat.value().comm() : std::string_view(),
                  .is_root = is_root,
                  .is_forked = member.is_forked,
                  .rank = read_rank(options_.roots, pid)};
  if (parent != nullptr) clues.parent_role = parent->info.role;
  const RoleGuess guess = guess_role(clues);
  member.info.role = guess.role;
  const WorkerSlots::Place place =
      lanes_.take(member.info.id, parent == nullptr ? std::nullopt : std::optional(parent->info.id),
                  guess.role, guess.rank ? std::to_string(*guess.rank) : program_name(member.words()));
  member.info.continues = place.continues;
  member.info.index = guess.rank;
  if (guess.role == ProcessRole::Worker || guess.role == ProcessRole::CompileWorker) {
    member.info.index = place.number;
  }
  member.looked_s = at_s;
  member.look_again_s = at_s + 0.5;
}

// exec makes another program of a process without a word: the words it was
// started with are read again after 0.5, 1, 2 ... seconds, and then once a minute.
void ProcessTree::look_again(Member& member, double at_s) {
  member.looked_s = at_s;
  member.look_again_s = at_s + std::clamp(at_s - member.info.started_s, 0.5, 60.0);
  auto arguments = procfs::read_arguments(options_.roots, static_cast<std::int32_t>(member.info.pid));
  if (!arguments || arguments.value().empty()) return;
  if (std::equal(arguments.value().begin(), arguments.value().end(), member.words().begin(),
                 member.words().end())) {
    return;
  }
  lanes_.leave(member.info.id);
  identify(member, at_s);
  if (!member.is_forked) member.account = SharedAccount(member.counters(), false);
  member.has_settled = false;
  changed_.push_back(member.info);
}

}  // namespace lowtide::observe
