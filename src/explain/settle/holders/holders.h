// What the snapshots of a recording show: which variables kept more and more.
//
// A list that gained in every snapshot and lost nothing is a leak after a hundred steps, where the series and
// the sites need more. A cache that has not reached its bound (functools.lru_cache, a deque with a maxlen) is
// not a leak, however evenly it grows. What gains less and less may stop growing.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/settle.h"
#include "explain/settle/sites/sites.h"
#include "model/holder_report.h"
#include "model/watched.h"

namespace lowtide::explain {

struct HeldGrowth {
  model::HolderReport holder;
  std::size_t gains = 0;  // between one snapshot and the next
  std::size_t losses = 0;
  double of_process = 0;  // what it gained, of what the process gained meanwhile; 0: that did not grow
  double of_device = 0;   // the same, of the tensors on devices
  std::optional<double> bytes_per_step = {};
  bool slows_down = false;   // less per step, or second, from snapshot to snapshot
  bool has_stopped = false;  // it gained, more than once, and then no more
  // Of the snapshots that list it. They belong to the evidence; null in tests of single functions.
  const model::Snapshot* first_listed = nullptr;
  const model::Snapshot* last_listed = nullptr;
};

struct ProcessHolders {
  model::ProcessInfo process;
  std::size_t snapshots = 0;
  double from_s = 0;
  double to_s = 0;
  bool has_stopped_since = false;    // the process has not grown since the last of these snapshots
  model::SnapshotReport difference;  // of the first and the last of these snapshots
  std::vector<HeldGrowth> grown;     // most first
};

std::vector<ProcessHolders> find_holders(const Evidence& evidence);

// It only ever gained, not less and less, it is what its process grew by, and it has no bound.
bool is_kept(const ProcessHolders& holders, const HeldGrowth& grown);
// It only ever gained, and that is what leaking lines of its process allocated: where the allocator keeps
// much beside it, that is less than most of what the process grew by.
bool keeps_what_leaks(const Sites& sites, const ProcessHolders& holders, const HeldGrowth& grown);
// The same as is_kept(), on devices.
bool is_kept_on_device(const ProcessHolders& holders, const HeldGrowth& grown);
// Only one snapshot shows it, so that it is not known whether it grew. But then it retained as much as the
// leaking lines of its process had allocated by that time.
bool holds_what_leaked(const Sites& sites, const ProcessHolders& holders, const HeldGrowth& grown);
// Of a process with one snapshot, keeps only such variables: the others are not known to have grown.
void drop_unproven(std::vector<ProcessHolders>& holders, const Sites& sites);
// It is what its process grew by, but it is a cache that stops at a bound it has not reached.
bool is_filling(const ProcessHolders& holders, const HeldGrowth& grown);
// It is what its process grew by, but it has reached its bound, or nothing has come to it since a while.
bool is_full(const HeldGrowth& grown);

// What the variables of a process say about its verdict, most growth first: a leak, a cache that is still
// filling (which takes a leak back), or growth that slows down. Of one process the first that counts is
// taken.
std::vector<Argument> holder_arguments(const ProcessHolders& holders);
// The same about the tree: only processes whose variables explain what it grew by.
std::vector<Argument> holder_arguments(const std::vector<ProcessHolders>& holders, const Evidence& evidence);
// The same about a GPU, by the tensors that variables of its process keep there.
std::vector<Argument> holder_arguments(const model::GpuReport& gpu,
                                       const std::vector<ProcessHolders>& holders);

}  // namespace lowtide::explain
