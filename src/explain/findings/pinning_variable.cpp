#include "explain/findings/pinning_variable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "explain/findings/held/held_causes.h"
#include "explain/source/holder_lines.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kMostOfObjects = 0.5;       // of what the objects of the process gained
constexpr std::size_t kFewestGains = 2;      // from snapshot to snapshot
constexpr std::int64_t kFewestObjects = 50;  // fewer do not divide much

bool may_pin(const HeldGrowth& grown) {
  return grown.gains >= kFewestGains && grown.losses == 0 && !grown.slows_down && !grown.has_stopped &&
         grown.holder.node.cache != model::CacheKind::Bounded &&
         grown.holder.share.value_or(0) >= kMostOfObjects && grown.holder.growth_objects >= kFewestObjects;
}

}  // namespace

void blame_pinning_variable(const Scene& scene, const model::ProcessInfo& process, model::Finding& finding) {
  for (const ProcessHolders& holders : scene.holders) {
    if (holders.process.id != process.id || holders.has_stopped_since) continue;
    const auto found = std::find_if(holders.grown.begin(), holders.grown.end(), may_pin);
    if (found == holders.grown.end()) continue;
    const model::HeldNode& node = found->holder.node;
    const std::string name = quoted_variable(node);
    const HolderFeatures features = clues_of(scene, holders, *found);
    const HeldCause& cause = cause_of(features);
    finding.variable = variable_of(node);
    finding.where.holder = node.path;
    finding.lines = find_holder_lines(scene.sources, node, own_files(scene));
    finding.cause = fmt::format(
        "fragmentation: freed memory is not used again, probably because {} keeps small objects{} that lie "
        "in between",
        name, features.keeps_graphs ? " of autograd graphs" : "");
    // The small objects are alive, and are blamed.
    std::erase_if(finding.excluded, [](const model::ExcludedCause& other) {
      return other.mechanism == model::Mechanism::LiveObjects;
    });
    finding.evidence.insert(
        finding.evidence.begin() + 1,
        fmt::format("{} gained {} objects ({}) in {} snapshots, never shrank", name,
                    base::format_count(static_cast<std::uint64_t>(found->holder.growth_objects)),
                    bytes_words(static_cast<double>(found->holder.growth_bytes)), holders.snapshots));
    finding.fix = fmt::format(fmt::runtime(cause.fix), name);
    if (is_code(finding.variable) && (node.type == "list" || features.is_tensor))
      finding.hint = fmt::format(fmt::runtime(cause.hint), finding.variable);
    return;
  }
}

}  // namespace lowtide::explain
