#include "explain/gpu_ledger.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "explain/driver_rows.h"
#include "explain/tensor_parts.h"

namespace lowtide::explain {
namespace {

using model::MemoryPartKind;
using model::Snapshot;
using Share = GpuEvidence::Share;

// The latest reading up to the moment, or the first one.
std::uint64_t reading_at(const RecordedSeries& series, double at_s) {
  if (series.empty()) return 0;
  const auto after = std::find_if(series.begin(), series.end(),
                                  [at_s](const SeriesPoint& point) { return point.at_s > at_s; });
  return (after == series.begin() ? *after : *std::prev(after)).high_bytes;
}

// torch's count is a moment older than the driver's: while torch reserves more, what lies outside of it looks
// larger than it is.
std::uint64_t outside_at(const RecordedSeries& series, double at_s) {
  constexpr double kNearS = 3;
  std::uint64_t least = reading_at(series, at_s);
  for (const SeriesPoint& point : series) {
    if (std::abs(point.at_s - at_s) <= kNearS) least = std::min(least, point.low_bytes);
  }
  return least;
}

const Share* only_share(const Evidence& evidence, const GpuEvidence& gpu, std::int64_t pid) {
  const Share* found = nullptr;
  for (const GpuEvidence& one : evidence.gpus) {
    for (const Share& share : one.processes) {
      const ProcessEvidence* const process = evidence.find_process(share.id);
      if (process == nullptr || process->info.pid != pid) continue;
      if (&one != &gpu) return nullptr;
      found = &share;
    }
  }
  return found;
}

std::optional<model::GpuLedger> ledger_of(const Snapshot& snapshot, const GpuEvidence& gpu,
                                          const Share& share, const Evidence& evidence) {
  const std::uint64_t allocated = snapshot.cuda_allocated_bytes;
  const std::uint64_t reserved = snapshot.cuda_reserved_bytes;
  const bool is_known = snapshot.has_tensors && snapshot.is_exact && snapshot.is_finished;
  // Tensors that another allocator or process has made are not torch's.
  if (!is_known || allocated == 0 || snapshot.device_bytes > allocated || allocated > reserved)
    return std::nullopt;

  model::GpuLedger out{.at_s = snapshot.at_s, .parts = find_tensor_parts(snapshot).parts};
  if (model::sum_of(out.parts) != snapshot.device_bytes) return std::nullopt;
  // A few bytes of counters are not worth a row.
  constexpr std::uint64_t kLeastRest = 1U << 20U;
  std::uint64_t rest = 0;
  if (!out.parts.empty() && out.parts.back().kind == MemoryPartKind::OtherTensors &&
      out.parts.back().bytes < kLeastRest) {
    rest = out.parts.back().bytes;
    out.parts.pop_back();
  }
  std::uint64_t left = gpu.last.total_bytes;
  const auto add = [&](const std::string& name, std::uint64_t bytes, const std::string& what,
                       MemoryPartKind kind = MemoryPartKind::Other) {
    const std::uint64_t fits = std::min(bytes, left);
    left -= fits;
    if (fits > 0)
      out.parts.push_back({.name = name, .bytes = fits, .what = what, .has_tensors = false, .kind = kind});
  };
  left -= std::min(left, model::sum_of(out.parts));
  const std::string framework(to_string(share.torch ? share.torch->framework : model::Framework::Torch));
  add("without a Python object", allocated - snapshot.device_bytes + rest,
      "allocated by " + framework + " for C++ code: workspaces, buffers, rounding");
  add("free, kept by " + framework, reserved - allocated, "reserved and not allocated");
  const DriverRows outside =
      driver_rows(evidence, share.id, snapshot.at_s, outside_at(share.outside, snapshot.at_s));
  for (model::MemoryPart part : outside.parts) {
    part.bytes = std::min(part.bytes, left);
    left -= part.bytes;
    out.parts.push_back(std::move(part));
  }
  const std::uint64_t used = reading_at(gpu.used, snapshot.at_s);
  const std::uint64_t process = reading_at(share.series, snapshot.at_s) + outside.unnamed_bytes;
  add("other processes", used - std::min(used, process), "and, in some containers, the CUDA context");
  add("free", left, "", MemoryPartKind::Free);
  return out;
}

const GpuEvidence* find_gpu(const Evidence& evidence, const model::GpuReport& report) {
  const auto found = std::find_if(evidence.gpus.begin(), evidence.gpus.end(),
                                  [&](const GpuEvidence& one) { return one.index == report.index; });
  return found == evidence.gpus.end() ? nullptr : &*found;
}

}  // namespace

const Share* main_share(const Evidence& evidence, const model::GpuReport& gpu) {
  const GpuEvidence* const found = find_gpu(evidence, gpu);
  if (found == nullptr || !gpu.pid) return nullptr;
  return only_share(evidence, *found, *gpu.pid);
}

void add_gpu_ledgers(const Evidence& evidence, std::vector<model::GpuReport>& gpus) {
  for (model::GpuReport& report : gpus) {
    const GpuEvidence* const gpu = find_gpu(evidence, report);
    const Share* const share = main_share(evidence, report);
    if (share == nullptr) continue;
    std::uint64_t most_bytes = 0;
    for (const record::RecordedSnapshot& recorded : evidence.snapshots) {
      if (recorded.process != share->id) continue;
      std::optional<model::GpuLedger> ledger = ledger_of(recorded.snapshot, *gpu, *share, evidence);
      if (!ledger) continue;
      if (recorded.snapshot.cuda_allocated_bytes > most_bytes) {
        most_bytes = recorded.snapshot.cuda_allocated_bytes;
        report.peak_ledger = ledger;
      }
      report.ledger = std::move(ledger);
    }
    if (report.ledger && report.peak_ledger && report.ledger->at_s == report.peak_ledger->at_s) {
      report.peak_ledger.reset();
    }
  }
}

}  // namespace lowtide::explain
