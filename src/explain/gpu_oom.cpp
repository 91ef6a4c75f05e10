#include "explain/gpu_oom.h"

#include <algorithm>

#include "explain/findings/gpu/gpu_failure.h"

namespace lowtide::explain {

void add_gpu_oom(SourceFiles& sources, model::Report& report) {
  const auto event = std::find_if(report.events.rbegin(), report.events.rend(), [](const model::Event& each) {
    return each.kind == model::EventKind::CudaOom && each.asked_bytes > 0;
  });
  if (event == report.events.rend()) return;
  const auto finding = std::ranges::find_if(
      report.findings, [](const model::Finding& each) { return each.id == "cuda-out-of-memory"; });
  const bool has_finding = finding != report.findings.end();
  const auto gpu = std::ranges::find_if(report.gpus, [&](const model::GpuReport& each) {
    return each.torch && (!has_finding || !finding->pid || each.pid == finding->pid);
  });
  if (gpu == report.gpus.end()) return;
  gpu->oom = model::GpuOom{.at_s = event->at_s,
                           .asked_bytes = event->asked_bytes,
                           .free_bytes = event->free_bytes,
                           .line = line_of_stack(sources, event->stack)};
  if (has_finding) gpu->oom->parts = finding->parts;
}

}  // namespace lowtide::explain
