// Workers that were forked share the parent's pages until they write to them,
// and in Python reading an object writes its reference count. RSS does not see
// it: the page was resident before and is resident after. Reference counts are
// the proven cause where a container has enough objects to reach the pages.

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/settle/growth.h"
#include "explain/source/holder_lines.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kNearlyAllGrowth = 0.8;  // of the tree: only then its growth ends with the copying

// From one end of the floor to the other, as in the table of processes; else between the two windows.
double private_growth(const WatchedProcess& process) {
  const model::Ends& ends = process.report.ends;
  if (ends.early_bytes == 0 || ends.late_bytes <= ends.early_bytes) return process.change_bytes;
  return static_cast<double>(ends.late_bytes - ends.early_bytes);
}

// The process that forked it. Null: it is not part of the job.
const ProcessEvidence* find_parent(const Evidence& evidence, const model::ProcessInfo& child) {
  const auto found = std::find_if(evidence.processes.begin(), evidence.processes.end(),
                                  [&](const auto& process) { return process.info.pid == child.ppid; });
  return found == evidence.processes.end() ? nullptr : &*found;
}

bool is_same_or_earlier_life(const Evidence& evidence, const model::ProcessInfo& worker,
                             model::ProcessId id) {
  constexpr int kMostLives = 1'000;
  const model::ProcessInfo* life = &worker;
  for (int lives = 0; lives < kMostLives; ++lives) {
    if (life->id == id) return true;
    const ProcessEvidence* before = life->continues ? evidence.find_process(*life->continues) : nullptr;
    if (before == nullptr) return false;
    life = &before->info;
  }
  return false;
}

// The last snapshot of the worker, or of those that it replaced; without one, the last snapshot of its
// parent.
const model::Snapshot* find_last_snapshot(const Evidence& evidence, const model::ProcessInfo& worker) {
  const ProcessEvidence* parent = find_parent(evidence, worker);
  const model::Snapshot* own = nullptr;
  const model::Snapshot* of_parent = nullptr;
  for (const record::RecordedSnapshot& taken : evidence.snapshots) {
    if (!taken.snapshot.has_holders) continue;
    if (is_same_or_earlier_life(evidence, worker, taken.process)) own = &taken.snapshot;
    if (parent != nullptr && taken.process == parent->info.id) of_parent = &taken.snapshot;
  }
  return own != nullptr ? own : of_parent;
}

// The container whose reference counts are written: the variable with most objects. Null: there is none that
// is as large as the pages and has so many objects.
const model::HeldNode* find_copied(const Scene& scene, const model::ProcessInfo& worker,
                                   double shared_bytes) {
  constexpr double kLeastPart = 0.3;  // of the pages
  constexpr double kPageBytes = 4096;
  constexpr double kNearlyAll = 0.9;  // of the objects: else it is another container beside it
  const model::Snapshot* snapshot = find_last_snapshot(scene.evidence, worker);
  if (snapshot == nullptr) return nullptr;
  const model::HeldNode* found = nullptr;
  for (const model::HeldNode& node : snapshot->nodes) {
    const bool is_namespace = !node.holder && node.file.empty();
    if (!node.length || is_namespace) continue;
    const double reached = kPageBytes * static_cast<double>(node.retained_objects);
    if (std::min(reached, static_cast<double>(node.retained_bytes)) < kLeastPart * shared_bytes) continue;
    const bool is_inside = found != nullptr && node.path.starts_with(found->path) &&
                           static_cast<double>(node.retained_objects) >=
                               kNearlyAll * static_cast<double>(found->retained_objects);
    if (found == nullptr || is_inside || node.retained_objects > found->retained_objects) found = &node;
  }
  return found;
}

// A process that allocates has a growth without a bound, whatever others copy.
bool is_other_leaking(const Scene& scene, double tree_bytes) {
  constexpr double kLeastPart = 0.05;
  return std::any_of(scene.processes.begin(), scene.processes.end(), [&](const WatchedProcess& process) {
    return model::may_leak(process.report.series.verdict) && process.there_late &&
           process.change_bytes >= kLeastPart * tree_bytes && !copies_on_write(process, scene.evidence);
  });
}

}  // namespace

void find_copy_on_write(const Scene& scene, Findings& out) {
  if (scene.report.verdict.kind == model::VerdictKind::Stable) return;
  std::vector<const WatchedProcess*> copying;
  double bytes = 0;
  double rss_bytes = 0;
  double still_shared = 0;
  for (const WatchedProcess& process : scene.processes) {
    if (!copies_on_write(process, scene.evidence)) continue;
    copying.push_back(&process);
    bytes += private_growth(process);
    still_shared += remaining_shared_bytes(process, scene.evidence);
    rss_bytes += change(process.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::rss_bytes);
  }
  const double tree = tree_change(scene.evidence);
  if (copying.empty() || bytes < 0.1 * tree) return;
  const model::ProcessInfo& first = copying.front()->report.info;
  model::Finding finding;
  finding.id = "copy-on-write";
  const bool is_other = is_other_leaking(scene, tree);
  const bool has_ended =
      !model::may_leak(scene.report.verdict) && scene.report.verdict.kind != model::VerdictKind::Inconclusive;
  finding.severity = has_ended  ? model::Severity::Low
                     : is_other ? model::Severity::Medium
                                : model::Severity::High;
  finding.title = copying.size() == 1
                      ? fmt::format("copy-on-write in {}: {} of shared pages were copied",
                                    process_words(first), bytes_words(bytes))
                      : fmt::format("copy-on-write in {} {}: {} of shared pages were copied", copying.size(),
                                    role_words(first.role, copying.size()), bytes_words(bytes));
  finding.mechanism = model::Mechanism::CopyOnWrite;
  finding.process = process_of(first);
  finding.process->pids.clear();
  for (const WatchedProcess* process : copying) finding.process->pids.push_back(process->report.info.pid);
  if (copying.size() > 1) finding.process->index.reset();
  finding.growth_bytes = bytes;
  const bool is_bounded = !is_other && bytes >= kNearlyAllGrowth * tree;
  if (is_bounded) {
    finding.end_bytes = static_cast<std::uint64_t>(
        level(scene.evidence.target, scene.evidence.late).value_or(0) + std::max(0.0, still_shared));
  }
  if (copying.size() == 1) finding.pid = first.pid;
  if (tree > 0) finding.share = std::clamp(bytes / tree, 0.0, 1.0);
  finding.confidence = 0.9;
  finding.evidence = {fmt::format("private memory grew by {} while RSS {}: no new object was created",
                                  bytes_words(bytes), change_words(rss_bytes))};
  finding.cause =
      "copy-on-write: processes write to pages that they have shared since the fork (in Python, reading an "
      "object "
      "writes its reference count), and the kernel copies each of these pages";
  const double of_each = (bytes + still_shared) / static_cast<double>(copying.size());
  if (const model::HeldNode* node = find_copied(scene, first, of_each)) {
    finding.variable = variable_of(*node);
    finding.where.holder = node->path;
    std::erase_if(finding.lines = find_holder_lines(scene.sources, *node, own_files(scene)),
                  [](const model::CodeLine& line) { return line.role != model::LineRole::Creates; });
    finding.evidence.emplace_back(fmt::format(
        "{} holds {} in {} objects, enough to be on all of these pages", quoted_variable(*node),
        bytes_words(static_cast<double>(node->retained_bytes)), base::format_count(node->retained_objects)));
  }
  finding.fix = finding.variable.empty() ? advice::kCopiedPages : advice::kCopiedObjects;
  if (is_bounded) finding.fix = fmt::format(fmt::runtime(advice::kBoundedCopyOnWrite), finding.fix);
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
