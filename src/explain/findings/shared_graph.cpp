// An autograd graph that several variables hold together.
//
// `out, state = cell(x, state)` without detach(): both `out` and `state` reach the graph of all earlier
// steps, so neither of them alone retains it, and no variable is found that gained the memory. What shows it:
// functions of autograd graphs came, no single variable holds them, and a line on the way to the allocation
// assigns a variable from itself.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/holder_features.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastShare = 0.3;  // of what the process gained
constexpr std::int64_t kFewestFunctions = 100;

// "MulBackward0"
bool is_graph_function(std::string_view type) {
  while (!type.empty() && std::isdigit(static_cast<unsigned char>(type.back())) != 0) type.remove_suffix(1);
  return type.ends_with("Backward");
}

std::int64_t gained_functions(const model::SnapshotReport& difference) {
  std::int64_t count = 0;
  for (const model::TypeGrowth& growth : difference.types) {
    if (is_graph_function(growth.type.type)) count += growth.growth_count;
  }
  return count;
}

// Tensors of Python that came with the graphs. A variable that is carried from step to step is one tensor,
// however long its graph is; where more came, containers keep them.
bool keeps_tensors_with_graphs(const model::SnapshotReport& difference) {
  constexpr std::int64_t kFewestTensors = 10;
  std::int64_t count = 0;
  for (const model::TensorGrowth& growth : difference.tensors) {
    if (growth.tensors.requires_grad) count += std::max<std::int64_t>(0, growth.growth_count);
  }
  return count >= kFewestTensors;
}

// Objects account for a good part of what the process gained, and no variable does.
bool is_held_by_several(const Scene& scene, const ProcessHolders& holders) {
  const auto process = std::find_if(scene.processes.begin(), scene.processes.end(), [&](const auto& each) {
    return each.report.info.id == holders.process.id;
  });
  if (process == scene.processes.end()) return false;
  const SeriesPoint* first = nearest(process->series, holders.from_s);
  const SeriesPoint* last = nearest(process->series, holders.to_s);
  if (first == nullptr || last->low_bytes <= first->low_bytes) return false;
  const auto gained = static_cast<double>(last->low_bytes - first->low_bytes);
  return static_cast<double>(holders.difference.growth_bytes) >= kLeastShare * gained &&
         std::none_of(holders.grown.begin(), holders.grown.end(), [](const HeldGrowth& grown) {
           return !is_only_namespace(grown.holder) && grown.of_process >= kLeastShare;
         });
}

const SiteGroup* find_main_site(const Scene& scene, const ProcessHolders& holders) {
  const auto found =
      std::find_if(scene.sites.groups.begin(), scene.sites.groups.end(), [&](const SiteGroup& group) {
        return group.process.id == holders.process.id && group.frame() != nullptr &&
               !group.frame()->file.empty();
      });
  return found == scene.sites.groups.end() ? nullptr : &*found;
}

model::CodeLine code_line(const Scene& scene, const model::Frame& frame, model::LineRole role) {
  return {.role = role,
          .file = frame.file,
          .line = frame.line,
          .function = frame.function,
          .source = scene.sources.line(frame.file, frame.line)};
}

// The line that allocates most; where a variable may be carried, the nearest line outside of it that assigns
// one from itself.
void add_lines(const Scene& scene, const SiteGroup& site, bool may_be_carried, model::Finding& finding) {
  const model::Frame& allocates = *site.frame();
  finding.where.file = allocates.file;
  finding.where.line = allocates.line;
  finding.lines.push_back(code_line(scene, allocates, model::LineRole::Allocates));
  for (std::size_t at = site.act_on; may_be_carried && at < site.frames().size(); ++at) {
    const model::Frame& frame = site.frames()[at];
    const PythonSource* source = is_own_python(frame) ? scene.sources.find(frame.file) : nullptr;
    if (source == nullptr) continue;
    finding.variable = source->carried_by(frame.line);
    if (finding.variable.empty()) continue;
    if (at != site.act_on) finding.lines.push_back(code_line(scene, frame, model::LineRole::Stores));
    return;
  }
}

}  // namespace

void find_shared_graph(const Scene& scene, Findings& out) {
  if (!model::may_leak(scene.report.verdict)) return;
  for (const ProcessHolders& holders : scene.holders) {
    const std::int64_t functions = gained_functions(holders.difference);
    if (holders.snapshots < 2 || functions < kFewestFunctions || !is_held_by_several(scene, holders))
      continue;
    model::Finding finding;
    finding.severity = scene.report.verdict.kind == model::VerdictKind::Leak ? model::Severity::High
                                                                             : model::Severity::Medium;
    finding.mechanism = model::Mechanism::LiveObjects;
    finding.pid = holders.process.pid;
    finding.process = process_of(holders.process);
    finding.growth_bytes = static_cast<double>(holders.difference.growth_bytes);
    finding.confidence = 0.85;
    finding.evidence = {
        fmt::format("autograd graphs gained {} nodes in {} snapshots",
                    base::format_count(static_cast<std::uint64_t>(functions)), holders.snapshots),
        fmt::format("objects and tensors of the process gained {}, which the graphs of all steps share",
                    bytes_words(finding.growth_bytes))};
    const bool may_be_carried = !keeps_tensors_with_graphs(holders.difference);
    if (const SiteGroup* site = find_main_site(scene, holders))
      add_lines(scene, *site, may_be_carried, finding);
    if (finding.variable.empty()) {
      finding.id = "loss-graph-kept";
      finding.cause = "autograd graphs are kept, and several variables hold them together";
      finding.held_by = "several variables together";
      finding.fix = advice::kSharedGraph;
    } else {
      finding.id = "hidden-state-chain";
      finding.cause = "a variable is carried from step to step with the autograd graph of every earlier step";
      finding.fix = fmt::format(fmt::runtime(advice::kCarriedState), finding.variable);
    }
    finding.title = finding.cause;
    out.push_back(std::move(finding));
    return;
  }
}

}  // namespace lowtide::explain
