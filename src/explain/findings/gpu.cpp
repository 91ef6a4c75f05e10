// Memory on a GPU that grows.

#include <fmt/format.h>

#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {

namespace {

void say_growth(const model::GpuReport& gpu, Findings& out) {
  const model::Verdict& verdict = gpu.series.verdict;
  model::Finding finding;
  finding.id = "gpu-memory-grows";
  finding.severity = model::Severity::Medium;
  finding.title = fmt::format("memory {} GPU {} grows, and may be a leak",
                              gpu.pid ? fmt::format("of pid {} on", *gpu.pid) : "used on", gpu.index);
  finding.pid = gpu.pid;
  finding.confidence = verdict.lean->confidence;
  finding.evidence = {verdict.reason};
  finding.fix = verdict.needs ? "watch longer: " + *verdict.needs : "watch longer";
  out.push_back(std::move(finding));
}

}  // namespace

void find_gpu_growth(const Scene& scene, Findings& out) {
  for (const model::GpuReport& gpu : scene.report.gpus) {
    const model::Verdict& verdict = gpu.series.verdict;
    if (verdict.kind == model::VerdictKind::Inconclusive && verdict.lean &&
        verdict.lean->kind == model::VerdictKind::Leak) {
      say_growth(gpu, out);
    }
    if (verdict.kind != model::VerdictKind::Leak) continue;
    model::Finding finding;
    finding.id = "gpu-memory-leaks";
    finding.severity = model::Severity::High;
    finding.title = gpu.pid ? fmt::format("memory of pid {} on GPU {} leaks", *gpu.pid, gpu.index)
                            : fmt::format("memory used on GPU {} leaks", gpu.index);
    finding.pid = gpu.pid;
    finding.confidence = verdict.confidence;
    finding.evidence = {verdict.reason,
                        fmt::format("{} of {} are used", bytes_words(static_cast<double>(gpu.used_bytes)),
                                    bytes_words(static_cast<double>(gpu.total_bytes)))};
    finding.fix =
        "look for tensors that are kept from step to step: losses without .item(), outputs in lists";
    out.push_back(std::move(finding));
  }
}

}  // namespace lowtide::explain
