#include "explain/findings/held/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lowtide::explain {
namespace {

using model::Mechanism;

struct Suspect {
  Mechanism mechanism;
  const char* words;
};

constexpr std::array<Suspect, 4> kSuspects{{
    {Mechanism::LiveObjects, "live objects"},
    {Mechanism::AllocatorRetention, "fragmentation"},
    {Mechanism::CopyOnWrite, "copy-on-write"},
    {Mechanism::SharedMemory, "shared memory"},
}};

constexpr double kLittle = 0.1;  // of the growth

double mechanism_share(const model::GrowthReport& growth, Mechanism mechanism) {
  double share = 0;
  for (const model::MechanismShare& part : growth.mechanisms) {
    if (part.mechanism == mechanism) share += part.share;
  }
  return share;
}

bool blames(const model::Finding& finding) {
  return finding.severity <= model::Severity::High && finding.mechanism && !finding.ruled_out;
}

std::vector<model::ExcludedCause> excluded(const Scene& scene, const model::Finding& finding) {
  const Mechanism blamed = *finding.mechanism;
  std::vector<model::ExcludedCause> out;
  for (const Suspect& suspect : kSuspects) {
    const double share = mechanism_share(*scene.report.growth, suspect.mechanism);
    // Memory that a variable or native code holds is live, wherever it is counted.
    const bool is_live = suspect.mechanism == Mechanism::LiveObjects && blamed != Mechanism::CopyOnWrite &&
                         blamed != Mechanism::AllocatorRetention;
    if (suspect.mechanism == blamed || share >= kLittle || is_live) continue;
    out.push_back({suspect.words, suspect.mechanism, share});
  }
  const auto flat = std::ranges::count_if(scene.processes, [&](const WatchedProcess& process) {
    const std::int64_t pid = process.report.info.pid;
    const bool is_its =
        finding.pid == pid || (finding.process && std::ranges::count(finding.process->pids, pid) > 0);
    return !is_its && is_flat(process);
  });
  if (flat > 0) out.push_back({fmt::format("{} other process{} flat", flat, flat == 1 ? "" : "es")});
  return out;
}

}  // namespace

void add_exclusions(const Scene& scene, Findings& findings) {
  constexpr double kEnough = 0.5;  // of the growth is explained
  const auto& growth = scene.report.growth;
  if (!growth || growth->explained_share.value_or(0) < kEnough) return;
  for (model::Finding& finding : findings) {
    if (blames(finding)) finding.excluded = excluded(scene, finding);
  }
}

}  // namespace lowtide::explain
