#include "observe/monitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "observe/cpu_time.h"
#include "procfs/meminfo.h"
#include "procfs/pressure.h"
#include "procfs/process_info.h"
#include "procfs/shm.h"

namespace lowtide::observe {
namespace {

std::uint64_t cache_bytes_of(const model::CgroupReading& reading) {
  return reading.file_bytes - std::min(reading.file_bytes, reading.shmem_bytes);
}

// Families are swept when this much, or a hundredth of the job, may have moved.
constexpr std::uint64_t kWorthASweepBytes = std::uint64_t{1024} * 1024;

// All processes: soon after the start, then ever more rarely.
constexpr double kFirstFullSweepsS = 20;
constexpr double kFullSweepsS = 600;

model::PssReading to_pss_reading(const procfs::SmapsRollup& rollup, const procfs::Status& status) {
  model::PssReading pss;
  pss.pss_bytes = rollup.pss_bytes;
  pss.private_dirty_bytes = rollup.private_dirty_bytes;
  pss.uss_bytes = rollup.uss_bytes();
  if (rollup.has_pss_split) {
    pss.anon_bytes = rollup.pss_anon_bytes;
    pss.shmem_bytes = rollup.pss_shmem_bytes;
    pss.file_bytes = rollup.pss_file_bytes;
  } else {
    // Linux before 5.1 does not list the parts: PSS is split as RSS is.
    const double whole = static_cast<double>(std::max<std::uint64_t>(status.rss_bytes, 1));
    const auto part = [&](std::uint64_t bytes) {
      return static_cast<std::uint64_t>(static_cast<double>(rollup.pss_bytes) * static_cast<double>(bytes) /
                                        whole);
    };
    pss.anon_bytes = part(status.anon_bytes);
    pss.shmem_bytes = part(status.shmem_bytes);
    pss.file_bytes = part(status.file_bytes);
  }
  return pss;
}

}  // namespace

Monitor::Monitor(const Options& options, ProcessTree tree)
    : options_(options),
      tree_(std::move(tree)),
      shared_objects_(options.tree.roots, options.began_unix_s),
      meminfo_(procfs::meminfo_file(options.tree.roots)),
      pressure_(procfs::pressure_file(options.tree.roots)),
      gpus_(options.tree.roots) {}

base::Result<Monitor> Monitor::open(const Options& options, double at_s) {
  auto tree = ProcessTree::open(options.tree, at_s);
  if (!tree) return std::move(tree).error();
  Monitor monitor(options, std::move(tree).value());
  if (auto cgroup = procfs::CgroupMemory::open(options.tree.roots, options.tree.root_pid)) {
    monitor.cgroup_ = std::move(cgroup).value();
  }
  return monitor;
}

void Monitor::note_once(const std::string& text) {
  if (std::find(blind_spots_.begin(), blind_spots_.end(), text) == blind_spots_.end()) {
    blind_spots_.push_back(text);
  }
}

const model::Tick& Monitor::tick(double at_s, double step) {
  tick_.at_s = at_s;
  tick_.step = step;
  events_.clear();
  // While a child walks, the job's pages have one owner more: PSS would fall by half.
  const bool is_walked = options_.agents != nullptr && options_.agents->shares_pages();
  tree_.expect_walker(is_walked);
  tree_.refresh(at_s);
  shared_left_bytes_ += tree_.left_behind_bytes();
  const bool is_due = options_.use_pss && is_sweep_due(at_s);
  is_stale_ = is_due && moved_bytes_ >= worth_a_sweep_bytes();
  if (is_due && !is_walked && budget_.allows(at_s)) sweep_pss(at_s);
  add_up();
  find_cgroup(at_s);
  read_cgroup(at_s);
  read_host();
  shared_objects_.fill(tick_.tmpfs);
  if (options_.use_gpu) gpus_.read(at_s, tree_.members(), tick_);
  if (gpus_.is_unclear()) {
    note_once(
        "some GPU memory cannot be assigned to a process: the pids of the driver are not those of this "
        "container");
  }
  find_limit();
  if (options_.agents != nullptr) {
    marks_.fill(tick_, tree_, gpus_.devices(), *options_.agents, events_);
    options_.agents->fill(tick_, tree_);
  }
  return tick_;
}

// A process that shares no pages with others is measured well enough by its cheap
// counters. Within a family a sweep is worth its price only when pages may have
// moved; and now and then all are read, for the figures of the report.
bool Monitor::is_sweep_due(double at_s) {
  moved_bytes_ += tree_.take_moved_bytes();
  full_sweep_ = at_s >= next_full_sweep_s_;
  return full_sweep_ || moved_bytes_ >= worth_a_sweep_bytes();
}

std::uint64_t Monitor::worth_a_sweep_bytes() const {
  return std::max(kWorthASweepBytes, tick_.target.bytes / 100);
}

// In a family, or where memory is shared by mapping, PSS may have moved whatever
// the process itself did. What the others take is their own, so from one reading
// on their cheap counters carry them well: a full sweep reads them again when a
// quarter of their memory is not what it was.
bool Monitor::is_worth_reading(const Member& member) const {
  if (member.has_family || member.status.shmem_bytes >= kWorthASweepBytes) return true;
  if (!full_sweep_) return false;
  const std::uint64_t worth_bytes = std::max(kWorthASweepBytes, member.status.rss_bytes / 4);
  return !member.has_settled || member.account.moved_bytes(member.counters()) >= worth_bytes;
}

void Monitor::sweep_pss(double at_s) {
  const double cpu_before_s = thread_cpu_seconds();
  double longest_s = 0;
  double last_s = cpu_before_s;
  for (Member& member : tree_.members()) {
    if (member.pss_denied || !is_worth_reading(member)) continue;
    // The two must be of one moment: a large process changes while others are read.
    if (const auto status = member.files.read_status(); status && status.value().has_memory) {
      member.status = status.value();
    }
    const auto rollup = member.files.read_smaps_rollup();
    const double now_s = thread_cpu_seconds();
    longest_s = std::max(longest_s, now_s - last_s);
    last_s = now_s;
    if (rollup) {
      member.pss = to_pss_reading(rollup.value(), member.status);
      member.account.settle(member.counters(), *member.pss, rollup.value().swap_pss_bytes);
      member.has_settled = true;
    } else if (rollup.error().code != base::ErrorCode::Gone) {
      member.pss_denied = true;
      note_once(fmt::format("shared and private pages of pid {} cannot be distinguished: {}", member.info.pid,
                            rollup.error().message));
    }
  }
  if (full_sweep_) next_full_sweep_s_ = at_s + std::clamp(4 * at_s, kFirstFullSweepsS, kFullSweepsS);
  shared_left_bytes_ = 0;
  moved_bytes_ = 0;
  is_stale_ = false;
  budget_.spend(at_s, last_s - cpu_before_s, longest_s);
}

void Monitor::add_up() {
  model::TargetReading& target = tick_.target;
  target.bytes = shared_left_bytes_;
  target.file_bytes = 0;
  target.rss_bytes = 0;
  target.exact = !is_stale_;
  target.processes = static_cast<std::uint32_t>(tree_.members().size());
  tick_.processes.clear();
  std::uint64_t mapped_bytes = 0;
  std::vector<std::int64_t> pids;
  for (const Member& member : tree_.members()) {
    pids.push_back(member.info.pid);
    const Contribution share = member.account.contribution(member.counters());
    target.bytes += share.held_bytes();
    mapped_bytes += share.shmem_bytes;
    target.file_bytes += share.file_bytes;
    target.rss_bytes += member.status.rss_bytes;
    // Better no reading than one that says flat because nobody looked; but the
    // last seconds before a kill are wanted as they are.
    if (is_stale_ && member.has_family && !is_close_to_limit()) continue;
    tick_.processes.push_back({.id = member.info.id,
                               .own_bytes = share.own_bytes,
                               .rss_bytes = member.status.rss_bytes,
                               .anon_bytes = member.status.anon_bytes,
                               .file_bytes = member.status.file_bytes,
                               .shmem_bytes = member.status.shmem_bytes,
                               .swap_bytes = member.status.swap_bytes,
                               .writable_bytes = member.status.writable_bytes,
                               .pss = member.pss});
  }
  const std::uint64_t shared_bytes = shared_objects_.read(pids, tick_.at_s);
  target.unmapped_bytes = shared_bytes - std::min(shared_bytes, mapped_bytes);
  target.bytes += target.unmapped_bytes;
  // Files are read more rarely than they grow: between two readings the memory is not flat.
  if (shared_objects_.has_moved(worth_a_sweep_bytes())) target.exact = false;
}

bool Monitor::is_close_to_limit() const {
  return limit_ &&
         limit_->reach_bytes - std::min(limit_->reach_bytes, tick_.target.bytes) < limit_->limit_bytes / 10;
}

// A launcher may move the job, or only its trainer, into a cgroup after it was
// started: that of the largest process counts, looked up ever more rarely.
void Monitor::find_cgroup(double at_s) {
  if (at_s < next_cgroup_look_s_) return;
  next_cgroup_look_s_ = at_s + std::clamp(at_s / 4, 0.5, 30.0);
  const auto& members = tree_.members();
  const auto largest = std::max_element(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return a.status.rss_bytes < b.status.rss_bytes;
  });
  if (largest == members.end()) return;
  const auto pid = static_cast<std::int32_t>(largest->info.pid);
  auto membership = procfs::read_cgroup_membership(options_.tree.roots, pid);
  if (!membership || (cgroup_ && membership.value() == cgroup_membership_)) return;
  cgroup_membership_ = std::move(membership).value();
  auto found = procfs::CgroupMemory::open(options_.tree.roots, pid);
  if (!found || (cgroup_ && found.value().path() == cgroup_->path())) return;
  cgroup_ = std::move(found).value();
  oom_kills_.reset();
}

void Monitor::read_cgroup(double at_s) {
  tick_.cgroup.reset();
  cgroup_limits_.reset();
  if (!cgroup_) return;
  const auto reading = cgroup_->read();
  const auto limits = cgroup_->read_limits();
  if (!reading) return;
  const procfs::CgroupReading& read = reading.value();
  if (limits) cgroup_limits_ = limits.value();
  tick_.cgroup = model::CgroupReading{.current_bytes = read.current_bytes,
                                      .anon_bytes = read.anon_bytes,
                                      .file_bytes = read.file_bytes,
                                      .shmem_bytes = read.shmem_bytes,
                                      .kernel_bytes = read.kernel_bytes.value_or(0),
                                      .limit_bytes = cgroup_limits_ && cgroup_limits_->max
                                                         ? std::optional(cgroup_limits_->max->bytes)
                                                         : std::nullopt,
                                      .oom_kills = read.oom_kill_events.value_or(0)};
  if (!read.oom_kill_events) return;
  if (oom_kills_ && *read.oom_kill_events > *oom_kills_) {
    events_.push_back(
        {.kind = model::EventKind::OomKill,
         .at_s = at_s,
         .text = fmt::format("the kernel killed {} of cgroup {} because its memory limit was reached",
                             *read.oom_kill_events - *oom_kills_ == 1 ? "a process" : "processes",
                             cgroup_->path())});
  }
  oom_kills_ = *read.oom_kill_events;
}

void Monitor::read_host() {
  tick_.host.reset();
  const auto meminfo = procfs::read_meminfo(meminfo_);
  if (!meminfo) return;
  model::HostReading host{.total_bytes = meminfo.value().total_bytes,
                          .available_bytes = meminfo.value().available_bytes};
  if (const auto shm = procfs::read_shared_memory(options_.tree.roots))
    host.shm_bytes = shm.value().used_bytes;
  if (const auto pressure = procfs::read_pressure(pressure_); pressure && pressure.value()) {
    host.pressure_percent = pressure.value()->some.avg10_percent;
  }
  tick_.host = host;
}

// Others use the same memory, and files that are cached give way: what counts is
// how much more the job can take.
std::optional<std::uint64_t> Monitor::room_before_group_kill() const {
  if (!tick_.cgroup || !cgroup_limits_ || !cgroup_limits_->kills_together) return std::nullopt;
  return *cgroup_limits_->headroom_bytes + cache_bytes_of(*tick_.cgroup);
}

void Monitor::find_limit() {
  limit_.reset();
  const std::uint64_t now_bytes = tick_.target.bytes;
  const auto offer = [&](model::LimitKind kind, std::uint64_t limit_bytes, std::uint64_t room_bytes) {
    const NearestLimit found{kind, limit_bytes, now_bytes + room_bytes};
    if (!limit_ || found.reach_bytes < limit_->reach_bytes) limit_ = found;
  };
  if (tick_.host) offer(model::LimitKind::Host, tick_.host->total_bytes, tick_.host->available_bytes);
  if (tick_.cgroup && cgroup_limits_ && cgroup_limits_->max && cgroup_limits_->headroom_bytes) {
    offer(model::LimitKind::Cgroup, cgroup_limits_->max->bytes,
          *cgroup_limits_->headroom_bytes + cache_bytes_of(*tick_.cgroup));
  }
  if (options_.limit_bytes) {
    limit_ = NearestLimit{model::LimitKind::Host, *options_.limit_bytes, *options_.limit_bytes};
  }
}

}  // namespace lowtide::observe
