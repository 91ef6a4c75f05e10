#include "explain/settle/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/floor.h"

namespace lowtide::explain {
namespace {

// The process of the job that has most memory on the GPU; null: none is known.
const GpuEvidence::Share* largest_share(const GpuEvidence& gpu, const Evidence& evidence) {
  const GpuEvidence::Share* largest = nullptr;
  for (const GpuEvidence::Share& share : gpu.processes) {
    if (share.series.empty() || evidence.find_process(share.id) == nullptr) continue;
    if (largest == nullptr || share.series.back().high_bytes >= largest->series.back().high_bytes)
      largest = &share;
  }
  return largest;
}

bool runs_within(const RecordedSeries& series, double at_s) {
  return !series.empty() && at_s >= series.front().at_s && at_s <= series.back().at_s + series.back().span_s;
}

// What the processes of the job have on the GPU together, at the times of the largest one: ranks that share a
// GPU fill it together.
GpuEvidence::Share sum_of_job(const GpuEvidence& gpu, const GpuEvidence::Share& largest,
                              const Evidence& evidence) {
  GpuEvidence::Share out = largest;
  for (const GpuEvidence::Share& share : gpu.processes) {
    const bool is_other_framework =
        share.torch && largest.torch && share.torch->framework != largest.torch->framework;
    if (&share == &largest || is_other_framework || evidence.find_process(share.id) == nullptr) continue;
    for (const auto part : {&GpuEvidence::Share::series, &GpuEvidence::Share::allocated,
                            &GpuEvidence::Share::reserved, &GpuEvidence::Share::outside}) {
      for (SeriesPoint& point : out.*part) {
        if (!runs_within(share.*part, point.at_s)) continue;
        const SeriesPoint& other = *nearest(share.*part, point.at_s);
        point.low_bytes += other.low_bytes;
        point.high_bytes += other.high_bytes;
      }
    }
  }
  return out;
}

// Of the job, when the readings of the largest one end.
std::vector<std::int64_t> pids_on(const GpuEvidence& gpu, const GpuEvidence::Share& largest,
                                  const Evidence& evidence) {
  std::vector<std::int64_t> out;
  for (const GpuEvidence::Share& share : gpu.processes) {
    const ProcessEvidence* const process = evidence.find_process(share.id);
    if (process != nullptr && runs_within(share.series, largest.series.back().at_s))
      out.push_back(process->info.pid);
  }
  return out;
}

// Until the GPU is full, if everything else on it stays as it is.
std::optional<model::Forecast> forecast_of(const RecordedSeries& series, const GpuEvidence& gpu,
                                           const Evidence& evidence) {
  const model::GpuReading& last = gpu.last;
  if (series.empty() || last.total_bytes == 0 || last.used_bytes >= last.total_bytes) return std::nullopt;
  const std::uint64_t reach_bytes = series.back().low_bytes + (last.total_bytes - last.used_bytes);
  auto forecast = forecast_series(series, evidence.steps, model::LimitKind::Gpu, reach_bytes);
  if (!forecast) return forecast;
  forecast->limit_bytes = last.total_bytes;
  forecast->reach_bytes = std::min(reach_bytes, last.total_bytes);
  return forecast;
}

// What torch has given out is nearer to a leak than what it keeps in reserve, and decides the verdict of the
// GPU; unless it is what lies outside of torch that may leak.
void add_torch(model::GpuReport& report, const GpuEvidence& device, const GpuEvidence::Share& share,
               const Evidence& evidence) {
  if (!share.torch) return;
  report.torch = share.torch;
  model::SeriesReport allocated = judge_part(share.allocated, evidence);
  report.allocated = allocated.verdict;
  const std::string gpu = "GPU " + std::to_string(report.index);
  // JAX takes its pool in advance, so that nothing follows from what is outside of its arrays.
  const bool is_torch = share.torch->framework == model::Framework::Torch;
  model::SeriesReport outside;
  if (is_torch) {
    outside = judge_part(share.outside, evidence);
    report.reserved = judge_part(share.reserved, evidence).verdict;
    report.outside = outside.verdict;
    report.pinned = judge_part(share.pinned, evidence).verdict;
  }
  const bool is_outside =
      is_torch && model::may_leak(outside.verdict) &&
      (!model::may_leak(allocated.verdict) ||
       model::floor_growth(outside.verdict.floor) > model::floor_growth(allocated.verdict.floor));
  if (is_outside) {
    report.series = std::move(outside);
    report.series.forecast = forecast_of(share.outside, device, evidence);
    report.series.quantity = model::Quantity::GpuUsed;
    report.series.name = gpu + ", outside of torch";
  } else {
    report.series = std::move(allocated);
    report.series.forecast = forecast_of(share.allocated, device, evidence);
    report.series.quantity = model::Quantity::GpuAllocated;
    report.series.name = gpu + ", allocated by " + std::string(to_string(share.torch->framework));
  }
  report.series.short_name = gpu;
}

}  // namespace

std::vector<model::GpuReport> judge_gpus(const Evidence& evidence) {
  std::vector<model::GpuReport> out;
  for (const GpuEvidence& gpu : evidence.gpus) {
    model::GpuReport report;
    report.index = gpu.index;
    report.total_bytes = gpu.last.total_bytes;
    report.used_bytes = gpu.last.used_bytes;
    // The memory of a process of the job describes the job better than the use of the whole device does.
    const GpuEvidence::Share* const largest = largest_share(gpu, evidence);
    const auto job = largest == nullptr ? std::nullopt : std::optional(sum_of_job(gpu, *largest, evidence));
    const RecordedSeries& series = job ? job->series : gpu.used;
    report.series = judge_part(series, evidence);
    report.series.forecast = forecast_of(series, gpu, evidence);
    report.series.quantity = model::Quantity::GpuUsed;
    report.series.name = "GPU " + std::to_string(gpu.index) + (job ? " of the job" : " used");
    if (job) {
      report.pid = evidence.find_process(job->id)->info.pid;
      report.process_bytes = largest->series.back().high_bytes;
      report.pids = pids_on(gpu, *largest, evidence);
      add_torch(report, gpu, *job, evidence);
    }
    report.series.gpu_index = gpu.index;
    report.series.pid = report.pid;
    if (gpu.last.total_bytes > 0) report.series.limit_bytes = gpu.last.total_bytes;
    out.push_back(std::move(report));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return out;
}

std::optional<std::string> fragmentation_words(const model::GpuReport& gpu) {
  if (!gpu.torch || (gpu.allocated && model::may_leak(*gpu.allocated))) return std::nullopt;
  if (!gpu.reserved || !model::may_leak(*gpu.reserved)) return std::nullopt;
  return fmt::format("torch reserves more and more memory of GPU {} while its tensors do not grow",
                     gpu.index);
}

}  // namespace lowtide::explain
