#include "explain/findings/gpu/driver_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "explain/driver_memory.h"
#include "explain/findings/advice.h"
#include "explain/words.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

using model::Finding;

std::optional<model::ProcessId> process_with(const Scene& scene, std::optional<std::int64_t> pid) {
  for (const ProcessEvidence& process : scene.evidence.processes) {
    if (pid && process.info.pid == *pid) return process.info.id;
  }
  return std::nullopt;
}

const model::GpuReport* find_gpu(const Scene& scene, const Finding& finding) {
  const auto found = std::find_if(scene.report.gpus.begin(), scene.report.gpus.end(),
                                  [&](const model::GpuReport& gpu) { return gpu.pid == finding.pid; });
  return found == scene.report.gpus.end() ? nullptr : &*found;
}

double growth_of(const DriverUse& use, const Evidence& evidence) {
  return static_cast<double>(use.bytes_at(evidence.late.to_s)) -
         static_cast<double>(use.bytes_at(evidence.early.to_s));
}

// The one that gained most; absent: nobody is known to have gained.
std::optional<DriverUse> find_growing(const Scene& scene, model::ProcessId process) {
  std::optional<DriverUse> most;
  for (DriverUse& use : find_driver_uses(scene.evidence, process, DriverPlace::Gpu)) {
    if (use.is_of_framework || growth_of(use, scene.evidence) <= 0) continue;
    if (!most || growth_of(use, scene.evidence) > growth_of(*most, scene.evidence)) most = std::move(use);
  }
  return most;
}

void add_place(const DriverUse& use, const Scene& scene, Finding& finding) {
  finding.library = use.library;
  finding.callee = use.library.empty() ? use.function : "";
  if (use.line.file.empty()) return;
  model::CodeLine line = use.line;
  line.source = scene.sources.line(line.file, line.line);
  finding.where.file = line.file;
  finding.where.line = line.line;
  finding.where.function = line.function;
  finding.lines.insert(finding.lines.begin(), std::move(line));
}

std::string fix_words(const DriverUse& use) {
  if (!use.library.empty())
    return fmt::format(
        "look for what makes {} allocate there again and again, such as a handle, a communicator or a "
        "workspace that is made at every step",
        owner_words(use));
  return fmt::format("free what {} returned", use.function.empty() ? "the driver" : use.function);
}

bool is_outside_framework(const Finding& finding, const model::GpuReport& gpu) {
  const bool is_of_gpu = finding.id == "gpu-memory-leaks" || finding.id == "gpu-memory-grows";
  return finding.id == "gpu-outside-torch" || (is_of_gpu && !gpu.torch);
}

}  // namespace

void add_driver_lines(const Scene& scene, Findings& findings) {
  for (Finding& finding : findings) {
    const model::GpuReport* const gpu = find_gpu(scene, finding);
    const auto process = process_with(scene, finding.pid);
    if (gpu == nullptr || !process || !is_outside_framework(finding, *gpu)) continue;
    const model::Verdict& verdict = gpu->torch && gpu->outside ? *gpu->outside : gpu->series.verdict;
    const std::optional<DriverUse> use = find_growing(scene, *process);
    constexpr double kMainPart = 0.5;
    if (!use ||
        growth_of(*use, scene.evidence) < kMainPart * static_cast<double>(model::floor_growth(verdict.floor)))
      continue;
    add_place(*use, scene, finding);
    finding.evidence.emplace_back(fmt::format("{} of it: {} through {}",
                                              bytes_words(growth_of(*use, scene.evidence)), owner_words(*use),
                                              call_words(*use)));
    finding.fix = fix_words(*use);
  }
}

void find_pinned_memory(const Scene& scene, Findings& out) {
  for (const ProcessEvidence& process : scene.evidence.processes) {
    for (const DriverUse& use : find_driver_uses(scene.evidence, process.info.id, DriverPlace::Host)) {
      if (use.is_of_framework) continue;
      const model::Verdict verdict = judge_part(series_of(use, scene.evidence), scene.evidence).verdict;
      if (!model::may_leak(verdict)) continue;
      Finding finding;
      finding.id = "pinned-memory";
      const bool is_leak = verdict.kind == model::VerdictKind::Leak;
      finding.severity = is_leak ? model::Severity::High : model::Severity::Medium;
      finding.title =
          fmt::format("pinned host memory grew to {}: {}",
                      bytes_words(static_cast<double>(use.bytes_at(scene.evidence.last_at_s))),
                      use.library.empty() ? call_words(use) : owner_words(use) + ", " + call_words(use));
      finding.pid = process.info.pid;
      finding.confidence = verdict.lean ? verdict.lean->confidence : verdict.confidence;
      finding.growth_bytes = growth_of(use, scene.evidence);
      finding.evidence = {verdict.reason};
      finding.fix = use.library.empty() ? fix_words(use) : advice::kPinned;
      finding.watch = "pinned memory stays flat";
      add_place(use, scene, finding);
      out.push_back(std::move(finding));
    }
  }
}

}  // namespace lowtide::explain
