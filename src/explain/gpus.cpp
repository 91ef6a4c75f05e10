#include "explain/gpus.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lowtide::explain {
namespace {

// The process of ours that has most on the GPU; null: none is known.
const GpuEvidence::Share* largest_share(const GpuEvidence& gpu, const Evidence& evidence) {
  const GpuEvidence::Share* largest = nullptr;
  for (const GpuEvidence::Share& share : gpu.processes) {
    if (share.trail.empty() || evidence.find_process(share.id) == nullptr) continue;
    if (largest == nullptr || share.trail.back().high_bytes >= largest->trail.back().high_bytes)
      largest = &share;
  }
  return largest;
}

void add_torch(model::GpuReport& report, const GpuEvidence::Share& share, const Steps& steps) {
  if (!share.torch) return;
  report.torch = share.torch;
  report.allocated = judge_trail(share.allocated, steps).verdict;
  report.reserved = judge_trail(share.reserved, steps).verdict;
  report.outside = judge_trail(share.outside, steps).verdict;
}

}  // namespace

std::vector<model::GpuReport> judge_gpus(const Evidence& evidence) {
  std::vector<model::GpuReport> out;
  for (const GpuEvidence& gpu : evidence.gpus) {
    model::GpuReport report;
    report.index = gpu.index;
    report.total_bytes = gpu.last.total_bytes;
    report.used_bytes = gpu.last.used_bytes;
    // What a process of ours has is nearer to the job than what the whole device uses; and what torch has
    // given out is nearer to a leak than what it keeps in reserve.
    const GpuEvidence::Share* const share = largest_share(gpu, evidence);
    const bool is_told_by_torch = share != nullptr && share->torch;
    report.series = judge_trail(is_told_by_torch   ? share->allocated
                                : share != nullptr ? share->trail
                                                   : gpu.used,
                                evidence.steps);
    report.series.quantity = is_told_by_torch ? model::Quantity::GpuAllocated : model::Quantity::GpuUsed;
    report.series.name = "GPU " + std::to_string(gpu.index) +
                         (is_told_by_torch   ? ", allocated by torch"
                          : share != nullptr ? " of the job"
                                             : " used");
    if (share != nullptr) {
      report.pid = evidence.find_process(share->id)->info.pid;
      report.process_bytes = share->trail.back().high_bytes;
      add_torch(report, *share, evidence.steps);
    }
    report.series.gpu_index = gpu.index;
    report.series.pid = report.pid;
    if (gpu.last.total_bytes > 0) report.series.limit_bytes = gpu.last.total_bytes;
    out.push_back(std::move(report));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return out;
}

}  // namespace lowtide::explain
