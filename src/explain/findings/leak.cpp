// Which process grows, and the one that starts it does not.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/settle/growth.h"
#include "explain/settle/process_count_growth.h"
#include "explain/settle/process_reports.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr std::size_t kMostProcesses = 5;
constexpr double kLeastProcessShare = 0.05;  // of the tree's growth: less is not what the reader asks about
constexpr double kLeastProcessBytes = 1e6;

bool process_leaks(const WatchedProcess& process) {
  return process.report.series.verdict.kind == VerdictKind::Leak;
}

bool is_material_process(const Scene& scene, const WatchedProcess& process) {
  if (process.change_bytes < kLeastProcessBytes) return false;
  if (process.report.growth_share) return *process.report.growth_share >= kLeastProcessShare;
  return process.change_bytes >= 0.01 * level(scene.evidence.target, scene.evidence.late).value_or(0);
}

std::string share_words(const WatchedProcess& process) {
  if (!process.report.growth_share) return "";
  return base::format_share(*process.report.growth_share) + " of the growth of the process tree";
}

std::vector<model::Observation> process_evidence(const Scene& scene, const WatchedProcess& process) {
  const model::Verdict& verdict = process.report.series.verdict;
  std::vector<model::Observation> out{verdict.reason};
  auto early = level(process.series, scene.evidence.early);
  auto late = level(process.series, scene.evidence.late);
  // The same two moments as in the table of processes, where it ran at both.
  const model::Ends& ends = process.report.ends;
  if (ends.early_bytes > 0 && ends.late_bytes > ends.early_bytes) {
    early = static_cast<double>(ends.early_bytes);
    late = static_cast<double>(ends.late_bytes);
  }
  if (early && late) {
    out.emplace_back(fmt::format(
        "its {} grew from {} to {}{}{}",
        process.counts_shared_pages ? "memory, with pages that its children share," : "private memory",
        bytes_words(*early), bytes_words(*late), process.report.growth_share ? ", " : "",
        share_words(process)));
  } else if (late) {
    out.emplace_back(fmt::format("it started later and holds {}", bytes_words(*late)));
  }
  const double anon =
      change(process.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::rss_bytes) -
      change(process.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::file_bytes) -
      change(process.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::shmem_bytes);
  out.emplace_back("its anonymous memory " + change_words(anon));
  if (!process.there_late) out.emplace_back("it has ended, and its memory was released");
  if (process.report.processes > 1) {
    out.emplace_back(
        fmt::format("{} processes took its place one after the other", process.report.processes));
  }
  return out;
}

model::Finding leak_finding(const Scene& scene, const WatchedProcess& process) {
  const model::Verdict& verdict = process.report.series.verdict;
  const bool tree_leaks = scene.report.verdict.kind == VerdictKind::Leak;
  model::Finding out;
  out.id = "leak-in-process";
  out.severity = tree_leaks && process.there_late ? model::Severity::High : model::Severity::Medium;
  out.title = fmt::format("{} leaks", process_words(process.report.info));
  if (const std::string share = share_words(process); !share.empty()) out.title += ": " + share;
  if (!tree_leaks) out.title += ", but the process tree does not";
  out.pid = process.report.info.pid;
  out.process = process_of(process.report.info);
  out.growth_bytes = process.change_bytes;
  out.share = process.report.growth_share;
  out.confidence = verdict.confidence;
  out.evidence = process_evidence(scene, process);
  out.fix = advice::kLeak;
  return out;
}

model::Finding lean_finding(const Scene& scene, const WatchedProcess& process) {
  const model::Verdict& verdict = process.report.series.verdict;
  model::Finding out;
  out.id = "growth-in-process";
  out.severity = model::Severity::Medium;
  out.title = fmt::format("{} grows; it is too early to call it a leak", process_words(process.report.info));
  if (const std::string share = share_words(process); !share.empty()) out.title += ": " + share;
  out.pid = process.report.info.pid;
  out.process = process_of(process.report.info);
  out.growth_bytes = process.change_bytes;
  out.share = process.report.growth_share;
  out.confidence = verdict.lean->confidence;
  out.evidence = process_evidence(scene, process);
  out.fix = model::longer_words("watch it", verdict);
  return out;
}

// Many of one kind that all leak: one finding, or the list would hide the rest.
model::Finding group_finding(const Scene& scene, const std::vector<const WatchedProcess*>& group) {
  double share = 0;
  double surest = 0;
  double bytes = 0;
  for (const WatchedProcess* process : group) {
    share += process->report.growth_share.value_or(0);
    surest = std::max(surest, process->report.series.verdict.confidence);
    bytes += process->change_bytes;
  }
  const model::ProcessInfo& first = group.front()->report.info;
  model::Finding out = leak_finding(scene, *group.front());
  out.title = fmt::format("{} {} ({}) leak, {} in total", group.size(), role_words(first.role, group.size()),
                          short_command(first.command), bytes_words(bytes));
  out.pid.reset();
  out.process->index.reset();
  out.process->pids.clear();
  for (const WatchedProcess* process : group) out.process->pids.emplace_back(process->report.info.pid);
  out.growth_bytes = bytes;
  out.share =
      scene.processes.front().report.growth_share ? std::optional(std::min(share, 1.0)) : std::nullopt;
  out.confidence = surest;
  out.evidence.clear();
  for (std::size_t at = 0; at < std::min(group.size(), kMostProcesses); ++at) {
    out.evidence.emplace_back(fmt::format("{}: +{}, {}", process_words(group[at]->report.info),
                                          bytes_words(group[at]->change_bytes),
                                          group[at]->report.series.verdict.reason));
  }
  return out;
}

bool is_same_kind(const model::ProcessInfo& a, const model::ProcessInfo& b) {
  return a.role == b.role && program_of(a.command) == program_of(b.command);
}

// "the wrapper (4711, sh) is stable; the child (4712, python leak.py) leaks"
void say_wrapper_is_stable(const Scene& scene, const WatchedProcess& child, Findings& out) {
  for (const WatchedProcess& process : scene.processes) {
    const model::ProcessInfo& info = process.report.info;
    if (info.role != model::ProcessRole::Wrapper || !is_flat(process)) continue;
    model::Finding finding;
    finding.id = "wrapper-is-stable";
    finding.title = fmt::format("the wrapper ({}, {}) is stable; the child ({}, {}) leaks", info.pid,
                                program_of(info.command), child.report.info.pid,
                                short_command(child.report.info.command));
    finding.pid = info.pid;
    finding.confidence = process.report.series.verdict.confidence;
    finding.evidence = {fmt::format("the wrapper {}, the child {}", change_words(process.change_bytes),
                                    change_words(child.change_bytes)),
                        process.report.series.verdict.reason};
    finding.ruled_out = true;
    out.emplace_back(std::move(finding));
    return;
  }
}

// What the processes run that started during the run and are still there: "51 processes that started during
// the run had not ended; most run `python worker.py`".
std::string piled_words(const Evidence& evidence) {
  std::map<std::string, std::size_t> commands;
  std::size_t all = 0;
  for (const ProcessEvidence& process : evidence.processes) {
    const model::ProcessInfo& info = process.info;
    const bool is_left = info.ended_s.value_or(evidence.late.to_s) >= evidence.late.to_s;
    if (info.started_s < evidence.early.from_s || !is_left) continue;
    ++commands[short_command(info.command)];
    ++all;
  }
  if (commands.empty()) return "the process tree grows with the number of its processes";
  const auto most = std::max_element(commands.begin(), commands.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{} processes that started during the run had not ended; most run `{}`", all,
                     most->first);
}

void say_process_count_grows(const Scene& scene, Findings& out) {
  const ProcessCountGrowth count = find_process_count_growth(scene.evidence);
  if (scene.report.verdict.kind != VerdictKind::Leak || count.late == 0) return;
  model::Finding out_finding;
  out_finding.id = "processes-pile-up";
  out_finding.severity = model::Severity::High;
  out_finding.title = fmt::format("the number of processes keeps rising: {:.0f} at first, {:.0f} at the end",
                                  count.early, count.late);
  out_finding.confidence = 0.9;
  out_finding.evidence = {piled_words(scene.evidence)};
  out_finding.fix = advice::kProcesses;
  out.emplace_back(std::move(out_finding));
}

}  // namespace

void find_leaks(const Scene& scene, Findings& out) {
  std::vector<const WatchedProcess*> found;
  for (const WatchedProcess& process : scene.processes) {
    if (process_leaks(process) && is_material_process(scene, process)) found.emplace_back(&process);
  }
  const WatchedProcess* first = found.empty() ? nullptr : found.front();
  std::size_t named = 0;
  while (!found.empty() && named < kMostProcesses) {
    std::vector<const WatchedProcess*> group;
    const model::ProcessInfo info = found.front()->report.info;
    const auto rest = std::stable_partition(found.begin(), found.end(), [&](const WatchedProcess* process) {
      return is_same_kind(process->report.info, info);
    });
    group.assign(found.begin(), rest);
    found.erase(found.begin(), rest);
    ++named;
    if (group.size() >= 3) {
      out.emplace_back(group_finding(scene, group));
      continue;
    }
    for (const WatchedProcess* process : group) out.emplace_back(leak_finding(scene, *process));
  }
  if (first != nullptr) say_wrapper_is_stable(scene, *first, out);
  say_process_count_grows(scene, out);
  if (first != nullptr || !model::leans_to_leak(scene.report.verdict)) return;
  for (const WatchedProcess& process : scene.processes) {
    if (!model::leans_to_leak(process.report.series.verdict) || !is_material_process(scene, process))
      continue;
    out.emplace_back(lean_finding(scene, process));
    if (++named == 2) return;
  }
}

}  // namespace lowtide::explain
