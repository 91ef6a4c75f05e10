#include "explain/answer.h"

#include <fmt/format.h>

#include <algorithm>

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

// Of a log, an out-of-memory event before the run that the report is about belongs to another run.
bool ended_for_lack_of_memory(const model::Report& report) {
  const bool is_log = report.source.type != model::SourceType::Recording;
  const std::uint64_t first_line =
      is_log && report.primary_run < report.runs.size() ? report.runs[report.primary_run].first_line : 0;
  return std::any_of(report.events.begin(), report.events.end(), [&](const model::Event& event) {
    return (event.kind == model::EventKind::OomKill || event.kind == model::EventKind::CudaOom) &&
           event.line >= first_line;
  });
}

bool is_cause(const Finding& finding) {
  const FindingTheme theme = finding.id.row().theme;
  return !finding.ruled_out && finding.severity <= model::Severity::Medium &&
         (theme == FindingTheme::Variable || theme == FindingTheme::Growth);
}

// Explains memory that does not grow: a full cache, a list that makes the spikes, workers.
bool explains_flat(const Finding& finding, VerdictKind kind) {
  const std::string_view id = finding.id;
  if (kind == VerdictKind::Warmup && (id == "allocator-retention" || id == "thread-arenas")) return true;
  if (!finding.ruled_out) return false;
  if (kind == VerdictKind::Spikes)
    return id == "gc-sawtooth" || id == "validation-spikes" || id == "holder" || id == "bounded-cache";
  if (kind == VerdictKind::Warmup) return id == "bounded-cache";
  return id == "worker-overhead" || id == "respawned-workers" || id == "overhead" || id == "page-cache";
}

// The cause of growth; where there is no growth, what the memory went into.
std::optional<std::size_t> find_cause(const model::Report& report) {
  const auto& all = report.findings;
  const VerdictKind kind = report.verdict.kind;
  const bool is_growing = kind == VerdictKind::Leak || kind == VerdictKind::Inconclusive;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& finding) {
    return is_growing ? is_cause(finding) : explains_flat(finding, kind);
  });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

// "2 workers", "worker 1 only", "worker 1"; empty for a process that has no equals.
std::string process_text(const model::Report& report, const model::FindingProcess& process) {
  if (process.pids.size() > 1)
    return fmt::format("{} {}", process.pids.size(), role_words(process.role, process.pids.size()));
  if (process.role != model::ProcessRole::Worker && process.role != model::ProcessRole::Rank) return "";
  const auto equals = std::count_if(report.processes.begin(), report.processes.end(),
                                    [&](const auto& other) { return other.info.role == process.role; });
  const std::string name =
      role_words(process.role, 1) + (process.index ? fmt::format(" {}", *process.index) : "");
  return equals > 1 ? name + " only" : name;
}

std::string advice_without_cause(const model::Report& report) {
  for (const Finding& finding : report.findings) {
    if (finding.id == "warmup-ended") return finding.fix;
  }
  switch (report.verdict.kind) {
    case VerdictKind::Leak:
      return "find what is kept from step to step: lists of losses or outputs, caches, hooks, closures";
    case VerdictKind::Inconclusive:
      return model::longer_words("run", report.verdict);
    case VerdictKind::Warmup:
    case VerdictKind::Spikes:
    case VerdictKind::Stable:
      break;
  }
  return "none needed";
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
    if (cause.process) out.process = process_text(report, *cause.process);
    if (!cause.fix.empty()) out.fix = cause.fix;
    out.end_bytes = cause.end_bytes;
    if (cause.end_bytes && model::may_leak(verdict)) out.kind = AnswerKind::Bounded;
  }
  if (ended_for_lack_of_memory(report)) out.kind = AnswerKind::Oom;
  return out;
}

}  // namespace lowtide::explain
