#include "explain/evidence/reconcile.h"

#include <algorithm>

namespace lowtide::explain {
namespace {

// A cgroup's current counts resident pages only.
std::uint64_t swapped_at(const Evidence& evidence, double at_s) {
  std::uint64_t bytes = 0;
  for (const ProcessEvidence& process : evidence.processes) {
    if (process.series.empty() || process.series.front().at_s > at_s) continue;
    if (process.series.back().at_s + process.series.back().span_s < at_s) continue;
    bytes += process.bytes.swap_bytes;
  }
  return bytes;
}

}  // namespace

std::optional<model::Reconciliation> reconcile(const Evidence& evidence) {
  // At its end a job gives its memory back, and a shell that started it may live on.
  constexpr double kLeastPart = 0.5;  // of what it had late in the run
  const double least = kLeastPart * level(evidence.target, evidence.late).value_or(0);
  const TargetMoment* best = nullptr;
  const CgroupMoment* beside = nullptr;
  std::size_t next = 0;
  for (const TargetMoment& moment : evidence.target_moments) {
    while (next < evidence.cgroup.size() && evidence.cgroup[next].at_s < moment.at_s) ++next;
    if (next == evidence.cgroup.size()) break;
    if (evidence.cgroup[next].at_s > moment.at_s) continue;
    if (static_cast<double>(moment.reading.bytes) < least) continue;
    // An exact moment is worth more than a later one that is not.
    if (best != nullptr && best->reading.exact && !moment.reading.exact) continue;
    best = &moment;
    beside = &evidence.cgroup[next];
  }
  if (best == nullptr) return std::nullopt;

  const model::CgroupReading& group = beside->reading;
  model::Reconciliation out;
  out.at_s = best->at_s;
  out.exact = best->reading.exact;
  const std::uint64_t swapped = swapped_at(evidence, best->at_s);
  out.tree_bytes = best->reading.bytes - std::min(best->reading.bytes, swapped);
  out.cache_bytes = group.file_bytes - std::min(group.file_bytes, group.shmem_bytes);
  out.kernel_bytes = group.kernel_bytes;
  out.current_bytes = group.current_bytes;
  out.rest_bytes = static_cast<std::int64_t>(group.current_bytes) -
                   static_cast<std::int64_t>(out.tree_bytes + out.cache_bytes + out.kernel_bytes);
  return out;
}

}  // namespace lowtide::explain
