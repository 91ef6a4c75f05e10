#include "explain/findings/join_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::Finding;
using model::FindingTheme;
using model::Severity;

// Two that each account for more than this share of the same growth overlap: they are one cause.
constexpr double kMainPart = 0.5;

// From which side a finding sees a growth.
enum class Side {
  None,
  Copying,
  Variable,
  Line,
  Retention,
  Process,
  Phase,
  SharedMemory,
  Pinned,
  Device,
  Limit
};

Side side_of(const Finding& finding) {
  const std::string_view id = finding.id;
  if (finding.ruled_out) return Side::None;
  if (id == "copy-on-write") return Side::Copying;
  if (finding.id.row().theme == FindingTheme::Variable) return Side::Variable;
  if (id == "leaking-site" || id == "native-leak" || id == "growing-site") return Side::Line;
  if (id == "allocator-retention" || id == "thread-arenas") return Side::Retention;
  if (id == "leak-in-process" || id == "growth-in-process") return Side::Process;
  if (id == "phase-keeps") return Side::Phase;
  if (id == "shared-memory-grows") return Side::SharedMemory;
  if (id == "pinned-memory") return Side::Pinned;
  if (id == "gpu-memory-leaks" || id == "gpu-memory-grows") return Side::Device;
  if (id == "limit-ahead") return Side::Limit;
  return Side::None;
}

bool is_about(const Finding& finding, std::int64_t pid) {
  if (finding.pid == pid) return true;
  if (!finding.process) return false;
  const auto& pids = finding.process->pids;
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// The finding of a process that the others are joined to; null: there is nothing to join.
Finding* find_primary(Findings& findings, std::int64_t pid) {
  Finding* found = nullptr;
  for (const Side side :
       {Side::Copying, Side::Variable, Side::Line, Side::SharedMemory, Side::Retention, Side::Process}) {
    for (Finding& finding : findings) {
      if (side_of(finding) != side || !is_about(finding, pid)) continue;
      const bool is_part = side == Side::SharedMemory || side == Side::Retention;
      if (is_part && finding.share.value_or(0) < kMainPart) continue;
      if (side == Side::Variable && finding.severity > Severity::High &&
          finding.share.value_or(0) < kMainPart)
        continue;
      if (found == nullptr || finding.growth_bytes > found->growth_bytes) found = &finding;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

void add_evidence(Finding& primary, model::Observation seen) {
  auto& all = primary.evidence;
  if (std::find(all.begin(), all.end(), seen) == all.end()) all.push_back(std::move(seen));
}

// What a process gained on the host says nothing about tensors on a GPU or in pinned memory.
bool is_of_other_memory(const Finding& finding) {
  return finding.is_on_device || finding.id == "pinned-memory-kept" ||
         finding.mechanism == model::Mechanism::SharedMemory;
}

// The variable is known, and the graphs are those that it keeps.
bool keeps_graphs(const Finding& finding) {
  return finding.id == "hidden-state-chain" || finding.id == "loss-graph-kept";
}

// The line becomes the place of the finding; further lines are evidence.
void join_line(Finding& primary, Finding& line) {
  const auto allocating = std::count_if(primary.lines.begin(), primary.lines.end(), [](const auto& each) {
    return each.role == model::LineRole::Allocates;
  });
  if (allocating > 0) {
    add_evidence(primary, "also: " + line.title);
    return;
  }
  std::erase_if(primary.lines, [&](const model::CodeLine& stored) {
    return std::any_of(line.lines.begin(), line.lines.end(), [&](const model::CodeLine& each) {
      return each.file == stored.file && each.line == stored.line;
    });
  });
  primary.lines.insert(primary.lines.begin(), line.lines.begin(), line.lines.end());
  primary.where.file = line.where.file;
  primary.where.line = line.where.line;
  primary.where.function = line.where.function;
  if (line.mechanism == model::Mechanism::SharedMemory) primary.mechanism = line.mechanism;
  primary.confidence = std::max(primary.confidence, line.confidence);
  if (line.evidence.empty()) return;
  // The share of a line is that of host memory: where tensors on a GPU are the cause, it comes last.
  const auto place = primary.is_on_device ? primary.evidence.end() : primary.evidence.begin();
  primary.evidence.insert(place, line.evidence.front());
}

bool is_nested(const Finding& a, const Finding& b) {
  const std::string outer = a.where.holder.value_or("");
  const std::string inner = b.where.holder.value_or("");
  return !outer.empty() && !inner.empty() && (inner.starts_with(outer) || outer.starts_with(inner));
}

// True: the other finding is part of the primary one now.
bool join(Finding& primary, Finding& other) {
  const auto take_severity = [&] { primary.severity = std::min(primary.severity, other.severity); };
  switch (side_of(other)) {
    case Side::Line:
      if (side_of(primary) == Side::Copying) return true;
      if (primary.share.value_or(0) < kMainPart && other.share.value_or(0) < kMainPart) return false;
      take_severity();
      join_line(primary, other);
      return true;
    case Side::Variable:
      if (is_nested(primary, other)) return true;
      if (keeps_graphs(primary) && keeps_graphs(other) && other.variable.empty()) return true;
      // It accounts for the smaller part of the growth, or for the copies of its pages.
      if (other.severity <= Severity::High) other.severity = Severity::Medium;
      return side_of(primary) == Side::Copying;
    case Side::Process:
      take_severity();
      if (side_of(primary) != Side::Copying && side_of(primary) != Side::Retention &&
          !is_of_other_memory(primary) && other.evidence.size() > 1)
        add_evidence(primary, other.evidence[1]);
      return true;
    case Side::Phase:
      primary.phase = other.phase;
      if (!other.evidence.empty()) add_evidence(primary, other.evidence.front());
      return true;
    case Side::SharedMemory:
      if (primary.mechanism != model::Mechanism::SharedMemory && primary.id != "shared-batches-kept" &&
          primary.id != "pinned-memory-kept")
        return false;
      if (!other.evidence.empty()) add_evidence(primary, other.evidence.front());
      return true;
    case Side::Pinned:
      return primary.id == "pinned-memory-kept";
    case Side::Device:
      if (!primary.is_on_device || primary.share.value_or(0) < kMainPart) return false;
      take_severity();
      if (other.evidence.size() > 1) add_evidence(primary, other.evidence[1]);
      return true;
    case Side::Limit:
      return primary.severity <= Severity::High;
    case Side::Copying:
    case Side::Retention:
    case Side::None:
      return false;
  }
  return false;
}

std::vector<std::int64_t> pids_of(const Findings& findings) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t pid) {
    if (std::find(out.begin(), out.end(), pid) == out.end()) out.push_back(pid);
  };
  for (const Finding& finding : findings) {
    if (side_of(finding) == Side::None) continue;
    if (finding.process)
      for (const std::int64_t pid : finding.process->pids) add(pid);
    if (finding.pid) add(*finding.pid);
  }
  return out;
}

std::string_view attribute_name(std::string_view variable) {
  return variable.substr(variable.rfind('.') + 1);
}

// Processes that do the same at the same line, with the same variable. Its path may differ: `self.episodes`
// in a snapshot within a method is `env.episodes` in another process.
bool is_alike(const Finding& a, const Finding& b) {
  if (a.ruled_out || b.ruled_out || !a.process || !b.process || a.id != b.id || a.pid == b.pid) return false;
  if (a.process->role != b.process->role || a.where.file != b.where.file) return false;
  const bool is_same_line = a.where.file && a.where.line == b.where.line;
  if (a.variable.empty() || b.variable.empty()) return is_same_line && a.variable == b.variable;
  return a.variable == b.variable ||
         (is_same_line && attribute_name(a.variable) == attribute_name(b.variable));
}

void join_alike(Finding& first, const Finding& other) {
  first.process->pids.insert(first.process->pids.end(), other.process->pids.begin(),
                             other.process->pids.end());
  first.process->index.reset();
  first.growth_bytes += other.growth_bytes;
  first.severity = std::min(first.severity, other.severity);
  first.confidence = std::max(first.confidence, other.confidence);
}

void join_equal_processes(Findings& findings) {
  for (std::size_t at = 0; at < findings.size(); ++at) {
    for (std::size_t next = at + 1; next < findings.size();) {
      if (!is_alike(findings[at], findings[next])) {
        ++next;
        continue;
      }
      join_alike(findings[at], findings[next]);
      findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(next));
    }
    Finding& joined = findings[at];
    if (!joined.process || joined.process->pids.size() < 2 || side_of(joined) == Side::Copying) continue;
    const std::size_t count = joined.process->pids.size();
    joined.title = fmt::format("{} {}: {}", count, role_words(joined.process->role, count), joined.title);
    // The share of one process says little of what all of them do.
    std::erase_if(joined.evidence, [](const model::Observation& seen) {
      return seen.kind == model::ObservationKind::LineShare;
    });
    joined.evidence.insert(
        joined.evidence.begin(),
        fmt::format("{} {} grew alike; what follows was measured in one of them, pid {}", count,
                    role_words(joined.process->role, count), joined.process->pids.front()));
  }
}

}  // namespace

void join_causes(Findings& findings) {
  for (const std::int64_t pid : pids_of(findings)) {
    Finding* primary = find_primary(findings, pid);
    if (primary == nullptr) continue;
    std::vector<bool> is_joined(findings.size());
    for (std::size_t at = 0; at < findings.size(); ++at) {
      Finding& other = findings[at];
      const bool is_its =
          is_about(other, pid) || side_of(other) == Side::SharedMemory || side_of(other) == Side::Limit;
      if (&other != primary && is_its) is_joined[at] = join(*primary, other);
    }
    std::size_t at = 0;
    std::erase_if(findings, [&](const Finding& /*finding*/) { return is_joined[at++]; });
  }
  join_equal_processes(findings);
}

}  // namespace lowtide::explain
