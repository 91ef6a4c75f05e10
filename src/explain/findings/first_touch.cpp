// Memory that was allocated at once and becomes resident page by page, as the program first writes to it.

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/settle/growth.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastShare = 0.2;  // of the growth of the tree
constexpr double kMost = 0.5;

// "table" of "features.table"
std::string_view last_name(std::string_view variable) {
  return variable.substr(variable.rfind('.') + 1);
}

// The innermost variable whose size is that of the blocks and whose name is in the line that allocates them,
// in the last snapshot of the process that has one.
const model::HeldNode* find_variable(const Scene& scene, const SiteGroup& block, std::string_view line) {
  constexpr double kSameSize = 0.1;
  const model::HeldNode* found = nullptr;
  for (const record::RecordedSnapshot& taken : scene.evidence.snapshots) {
    if (taken.process != block.process.id || !taken.snapshot.has_holders) continue;
    for (const model::HeldNode& node : taken.snapshot.nodes) {
      const double size = static_cast<double>(node.retained_bytes) / static_cast<double>(block.live_bytes);
      const std::string_view name = last_name(end_of_path(node));
      if (size < 1 - kSameSize || size > 1 + kSameSize || name.empty()) continue;
      const std::size_t at = line.find(name);
      const bool is_whole =
          at != std::string_view::npos && (at == 0 || line[at - 1] == '.' || line[at - 1] == ' ');
      if (is_whole) found = &node;
    }
  }
  return found;
}

void name_variable(const Scene& scene, const SiteGroup& block, model::Finding& finding) {
  const std::string line = finding.lines.empty() ? "" : finding.lines.front().source.value_or("");
  if (const model::HeldNode* node = find_variable(scene, block, line)) {
    finding.variable = variable_of(*node);
    finding.where.holder = node->path;
  } else if (!scene.evidence.snapshots.empty()) {
    finding.held_by = "not known: no variable of this size is assigned in this line";
  }
}

void name_block(const Scene& scene, const SiteGroup& block, model::Finding& finding) {
  const model::Frame* frame = block.frame();
  const std::string size = bytes_words(static_cast<double>(block.live_bytes));
  finding.evidence.emplace_back(fmt::format("{} allocated {} at once, in {} block{}", block.words(), size,
                                            base::format_count(block.live_samples),
                                            block.live_samples == 1 ? "" : "s"));
  if (frame == nullptr || frame->file.empty()) return;
  finding.where.file = frame->file;
  if (frame->line > 0) finding.where.line = frame->line;
  if (!frame->function.empty()) finding.where.function = frame->function;
  finding.lines.push_back({.role = model::LineRole::Allocates,
                           .file = frame->file,
                           .line = frame->line,
                           .function = frame->function,
                           .source = scene.sources.line(frame->file, frame->line)});
}

}  // namespace

void find_first_touch(const Scene& scene, Findings& out) {
  if (!scene.report.growth) return;
  const LargestPart largest =
      find_largest_part(scene.processes, scene.sites, scene.evidence,
                        [](const HeapGrowth& growth) { return growth.touched.bytes; });
  const FirstTouch& touched = largest.growth.touched;
  const double tree = tree_change(scene.evidence);
  if (largest.process == nullptr || touched.bytes < kLeastShare * tree) return;
  const bool rises =
      model::may_leak(scene.report.verdict) || scene.report.verdict.kind == model::VerdictKind::Inconclusive;
  model::Finding finding;
  finding.id = "first-touch";
  finding.share = std::clamp(touched.bytes / tree, 0.0, 1.0);
  finding.severity = *finding.share < kMost ? model::Severity::Info
                     : rises                ? model::Severity::High
                                            : model::Severity::Low;
  finding.title = fmt::format("{} of memory that was allocated earlier was written for the first time",
                              bytes_words(touched.bytes));
  finding.mechanism = model::Mechanism::LiveObjects;
  finding.pid = largest.process->report.info.pid;
  finding.process = process_of(largest.process->report.info);
  finding.growth_bytes = touched.bytes;
  finding.confidence = 0.85;
  finding.cause =
      "first use of memory that was allocated earlier: the kernel provides each page when the program first "
      "writes to it";
  finding.evidence = {
      fmt::format("{} more was allocated than resident {}", bytes_words(touched.unwritten_bytes),
                  at_middle(largest.agent->early, scene.evidence)),
      fmt::format("allocated memory {} while resident memory grew by {}",
                  change_words(largest.agent->change_bytes), bytes_words(largest.growth.gained_bytes))};
  if (const SiteGroup* block = find_written_block(scene.sites, *largest.agent, scene.evidence)) {
    name_block(scene, *block, finding);
    name_variable(scene, *block, finding);
  }
  if (rises) {
    const double now = level(scene.evidence.target, scene.evidence.late).value_or(0);
    finding.end_bytes = static_cast<std::uint64_t>(now + touched.left_bytes);
  }
  finding.fix = rises ? advice::kFirstTouch : advice::kNone;
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
