// Memory on a GPU that grows.

#include <fmt/format.h>

#include <algorithm>

#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/gpu/driver_line.h"
#include "explain/findings/gpu/fragmentation.h"
#include "explain/settle/gpus.h"
#include "explain/words.h"

namespace lowtide::explain {

namespace {

// "pid 4711 on GPU 0", "2 processes on GPU 0"
std::string owner_words(const model::GpuReport& gpu) {
  const std::string who = gpu.pids.size() > 1 ? fmt::format("{} processes", gpu.pids.size())
                                              : fmt::format("pid {}", gpu.pid.value_or(0));
  return fmt::format("{} on GPU {}", who, gpu.index);
}

void say_growth(const model::GpuReport& gpu, Findings& out) {
  const model::Verdict& verdict = gpu.series.verdict;
  model::Finding finding;
  finding.id = "gpu-memory-grows";
  finding.severity = model::Severity::Medium;
  finding.title = gpu.pid ? fmt::format("memory of {} grows and may leak", owner_words(gpu))
                          : fmt::format("memory used on GPU {} grows and may leak", gpu.index);
  finding.pid = gpu.pid;
  finding.confidence = verdict.lean->confidence;
  finding.evidence = {verdict.reason};
  finding.fix = model::longer_words("watch it", verdict);
  out.push_back(std::move(finding));
}

bool rises(const std::optional<model::Verdict>& verdict) {
  return verdict && model::may_leak(*verdict);
}

// The verdict on the GPU is that of the memory outside of torch.
bool is_about_outside(const model::GpuReport& gpu) {
  return gpu.torch && gpu.series.quantity == model::Quantity::GpuUsed;
}

// The same for all GPUs of a process: reported once.
void say_pinned(const model::GpuReport& gpu, Findings& out) {
  const bool is_told = std::any_of(out.begin(), out.end(), [&](const model::Finding& finding) {
    return finding.id == "pinned-memory" && finding.pid == gpu.pid;
  });
  if (!gpu.torch || !rises(gpu.pinned) || is_told) return;
  model::Finding finding;
  finding.id = "pinned-memory";
  finding.severity =
      gpu.pinned->kind == model::VerdictKind::Leak ? model::Severity::High : model::Severity::Medium;
  finding.title = fmt::format("pinned host memory grew to {}; no other process can use it",
                              bytes_words(static_cast<double>(gpu.torch->pinned_bytes)));
  finding.pid = gpu.pid;
  finding.confidence = gpu.pinned->lean ? gpu.pinned->lean->confidence : gpu.pinned->confidence;
  finding.evidence = {gpu.pinned->reason};
  finding.fix = advice::kPinned;
  finding.hint = "DataLoader(..., pin_memory=True, prefetch_factor=2)";
  finding.watch = "pinned memory stays flat after the first epoch";
  out.push_back(std::move(finding));
}

// Of what the driver counts, the parts that torch's own count does not have.
void say_beside_torch(const model::GpuReport& gpu, Findings& out) {
  if (!gpu.torch || (rises(gpu.allocated) && !is_about_outside(gpu))) return;
  model::Finding finding;
  finding.severity = model::Severity::Medium;
  finding.pid = gpu.pid;
  if (const auto fragmented = fragmentation_words(gpu)) {
    finding.id = "gpu-fragmentation";
    finding.mechanism = model::Mechanism::GpuReserve;
    finding.title = *fragmented;
    finding.confidence = gpu.reserved->lean ? gpu.reserved->lean->confidence : gpu.reserved->confidence;
    finding.evidence = {
        gpu.reserved->reason,
        fmt::format("pid {}: {} reserved, {} allocated, {} fragmented (inactive split blocks)",
                    gpu.pid.value_or(0), bytes_words(static_cast<double>(gpu.torch->reserved_bytes)),
                    bytes_words(static_cast<double>(gpu.torch->allocated_bytes)),
                    bytes_words(static_cast<double>(gpu.torch->inactive_split_bytes)))};
    finding.fix = advice::kFragmentation;
    if (gpu.blocks && gpu.pids.size() <= 1) {
      const Fragmentation found = explain_fragmentation(gpu.blocks->pools, true);
      finding.evidence.insert(finding.evidence.end(), found.evidence.begin(), found.evidence.end());
      if (!found.advice.empty()) finding.fix = fmt::format("{}", fmt::join(found.advice, "; or "));
    }
    out.push_back(finding);
  }
  if (rises(gpu.outside)) {
    finding.id = "gpu-outside-torch";
    finding.severity =
        gpu.outside->kind == model::VerdictKind::Leak ? model::Severity::High : model::Severity::Medium;
    finding.mechanism = model::Mechanism::GpuOutsideTorch;
    finding.title = fmt::format("memory on GPU {} grows outside of torch", gpu.index);
    finding.confidence = gpu.outside->lean ? gpu.outside->lean->confidence : gpu.outside->confidence;
    finding.evidence = {
        gpu.outside->reason,
        fmt::format("{} of pid {} is outside torch",
                    bytes_words(static_cast<double>(model::outside_torch_bytes(gpu).value_or(0))),
                    gpu.pid.value_or(0))};
    finding.fix = advice::kOutsideTorch;
    out.push_back(finding);
  }
}

}  // namespace

void find_gpu_growth(const Scene& scene, Findings& out) {
  for (const model::GpuReport& gpu : scene.report.gpus) {
    const model::Verdict& verdict = gpu.series.verdict;
    say_beside_torch(gpu, out);
    say_pinned(gpu, out);
    if (model::leans_to_leak(verdict) && !is_about_outside(gpu)) say_growth(gpu, out);
    const bool is_counted_by_torch = gpu.series.quantity == model::Quantity::GpuAllocated;
    if (verdict.kind != model::VerdictKind::Leak || (gpu.torch && !is_counted_by_torch)) continue;
    model::Finding finding;
    finding.id = "gpu-memory-leaks";
    finding.severity = model::Severity::High;
    finding.title = gpu.pid ? fmt::format("memory of {} leaks", owner_words(gpu))
                            : fmt::format("memory used on GPU {} leaks", gpu.index);
    finding.pid = gpu.pid;
    finding.confidence = verdict.confidence;
    finding.evidence = {verdict.reason,
                        fmt::format("{} of {} is in use", bytes_words(static_cast<double>(gpu.used_bytes)),
                                    bytes_words(static_cast<double>(gpu.total_bytes)))};
    const bool is_jax = gpu.torch && gpu.torch->framework == model::Framework::Jax;
    finding.fix = is_jax ? advice::kArrays : advice::kTensors;
    out.push_back(std::move(finding));
  }
  add_driver_lines(scene, out);
  find_pinned_memory(scene, out);
}

}  // namespace lowtide::explain
