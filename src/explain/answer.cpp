#include "explain/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/findings/advice.h"
#include "explain/out_of_memory.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::AnswerKind;
using model::Finding;
using model::FindingTheme;
using model::VerdictKind;

AnswerKind kind_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Leak:
      return AnswerKind::Leak;
    case VerdictKind::Warmup:
      return AnswerKind::Warmup;
    case VerdictKind::Spikes:
      return AnswerKind::Spikes;
    case VerdictKind::Stable:
      return AnswerKind::Stable;
    case VerdictKind::Inconclusive:
      break;
  }
  return AnswerKind::Inconclusive;
}

bool is_cause(const Finding& finding) {
  const FindingTheme theme = finding.id.row().theme;
  return !finding.ruled_out && finding.severity <= model::Severity::Medium &&
         (theme == FindingTheme::Variable || theme == FindingTheme::Growth);
}

// Explains memory that does not grow: a full cache, a list that makes the spikes, workers.
bool explains_flat(const Finding& finding, VerdictKind kind) {
  constexpr double kMost = 0.5;  // of the growth: what explains less is not the cause of a warm-up
  const std::string_view id = finding.id;
  const bool is_most = finding.share.value_or(0) >= kMost;
  if (kind == VerdictKind::Warmup &&
      (id == "allocator-retention" || id == "thread-arenas" || id == "first-touch" || id == "copy-on-write"))
    return is_most;
  if (!finding.ruled_out) return false;
  if (kind == VerdictKind::Spikes)
    return id == "gc-sawtooth" || id == "validation-spikes" || id == "holder" || id == "bounded-cache" ||
           id == "respawned-workers";
  if (kind == VerdictKind::Warmup) return id == "bounded-cache" || (id == "holder" && is_most);
  return id == "worker-overhead" || id == "respawned-workers" || id == "overhead" || id == "page-cache";
}

// An open verdict that leans to a flat floor accuses no variable: what a validation fills and empties looks
// like growth between two snapshots.
bool may_grow(const model::Verdict& verdict) {
  if (verdict.kind == VerdictKind::Leak) return true;
  const bool leans_to_flat = verdict.lean && (verdict.lean->kind == VerdictKind::Stable ||
                                              verdict.lean->kind == VerdictKind::Spikes);
  return verdict.kind == VerdictKind::Inconclusive && !leans_to_flat;
}

// A GPU grows beside a process tree that does not.
bool has_other_growth(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return false;
  const auto& series = report.runs[report.primary_run].series;
  return model::find_other_leak(series) != nullptr || model::find_leaning_gpu(series) != nullptr;
}

// The cause of growth; where there is no growth, what the memory went into.
std::optional<std::size_t> find_cause(const model::Report& report) {
  const auto& all = report.findings;
  const VerdictKind kind = report.verdict.kind;
  const bool is_growing = may_grow(report.verdict) || has_other_growth(report);
  const bool is_full = !may_grow(report.verdict) && find_fatal_oom(report) != nullptr;
  const auto fits = [&](const Finding& finding) {
    if (is_full) return finding.id == "oom-killed" || finding.id == "cuda-out-of-memory";
    return is_growing ? is_cause(finding) : explains_flat(finding, kind);
  };
  // A variable shows the lines that make the spikes; the other findings repeat the verdict.
  auto found = std::find_if(all.begin(), all.end(), [&](const Finding& finding) {
    return kind == VerdictKind::Spikes && !finding.variable.empty() && fits(finding);
  });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), fits);
  const auto full = std::find_if(all.begin(), all.end(),
                                 [](const Finding& finding) { return finding.id == "cuda-out-of-memory"; });
  if (full != all.end() && find_fatal_oom(report) != nullptr && found == all.end()) found = full;
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

// The host memory of the other processes says nothing about what they have on a GPU.
bool is_about_host(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return true;
  const auto& series = report.runs[report.primary_run].series;
  return series.empty() ||
         (!model::is_gpu_memory(series.front().quantity) && model::find_leaning_gpu(series) == nullptr);
}

// "2 workers", "worker 1 only", "worker 1"; empty for a process that has no equals.
std::string process_text(const model::Report& report, const Finding& cause) {
  const model::FindingProcess& process = *cause.process;
  if (process.pids.size() > 1)
    return fmt::format("{} {}", process.pids.size(), role_words(process.role, process.pids.size()));
  if (process.role != model::ProcessRole::Worker && process.role != model::ProcessRole::Rank) return "";
  bool has_equals = false;
  bool are_equals_flat = true;
  for (const auto& other : report.processes) {
    if (other.info.role != process.role || std::ranges::count(process.pids, other.info.pid) > 0) continue;
    has_equals = true;
    if (model::may_leak(other.series.verdict)) are_equals_flat = false;
  }
  const bool is_alone =
      has_equals && (cause.id == "one-rank-differs" || (are_equals_flat && is_about_host(report)));
  const std::string name =
      role_words(process.role, 1) + (process.index ? fmt::format(" {}", *process.index) : "");
  return is_alone ? name + " only" : name;
}

// A GPU that may leak beside a process tree that does not.
const model::SeriesReport* leaning_gpu_of(const model::Report& report) {
  return report.primary_run < report.runs.size()
             ? model::find_leaning_gpu(report.runs[report.primary_run].series)
             : nullptr;
}

// True whatever the job did with the memory. A leak has the advice about leaks: more memory only delays its
// end.
std::string oom_advice(const model::Report& report, const model::Event& event) {
  const bool is_gpu = event.kind == model::EventKind::CudaOom;
  const std::string_view id = is_gpu ? "cuda-out-of-memory" : "oom-killed";
  for (const Finding& finding : report.findings) {
    if (finding.id == id && !finding.fix.empty()) return finding.fix;
  }
  return is_gpu ? advice::kGpuPeak : advice::kHostPeak;
}

std::string advice_without_cause(const model::Report& report) {
  const model::Event* const oom = find_fatal_oom(report);
  if (oom != nullptr && report.verdict.kind != VerdictKind::Leak) return oom_advice(report, *oom);
  for (const Finding& finding : report.findings) {
    const bool is_about_shape =
        finding.id == "warmup-ended" || finding.id == "validation-spikes" || finding.id == "gc-sawtooth";
    if (is_about_shape && finding.ruled_out && !may_grow(report.verdict)) return finding.fix;
  }
  if (const model::SeriesReport* gpu = leaning_gpu_of(report))
    return model::longer_words("run", gpu->verdict);
  switch (report.verdict.kind) {
    case VerdictKind::Leak:
      return advice::kLeak;
    case VerdictKind::Inconclusive:
      return model::longer_words("run", report.verdict);
    case VerdictKind::Warmup:
    case VerdictKind::Spikes:
    case VerdictKind::Stable:
      break;
  }
  return advice::kNone;
}

}  // namespace

model::Answer find_answer(const model::Report& report) {
  const model::Verdict& verdict = report.verdict;
  model::Answer out{.kind = kind_of(verdict.kind), .finding = find_cause(report), .axis = verdict.axis};
  out.confidence = verdict.lean && verdict.kind == VerdictKind::Inconclusive ? verdict.lean->confidence
                                                                             : verdict.confidence;
  if (model::may_leak(verdict) && verdict.rate) out.rate = verdict.rate->bytes;
  out.fix = advice_without_cause(report);
  if (out.finding) {
    const Finding& cause = report.findings[*out.finding];
    if (!cause.lines.empty()) out.line = cause.lines.front();
    out.variable = cause.variable;
    if (cause.process) out.process = process_text(report, cause);
    if (!cause.fix.empty()) out.fix = cause.fix;
    out.end_bytes = cause.end_bytes;
    if (cause.end_bytes && may_grow(verdict)) out.kind = AnswerKind::Bounded;
    if (cause.id == "cuda-out-of-memory") out.rate.reset();
  }
  if (find_fatal_oom(report) != nullptr) out.kind = AnswerKind::Oom;
  return out;
}

}  // namespace lowtide::explain
