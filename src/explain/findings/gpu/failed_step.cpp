#include "explain/findings/gpu/failed_step.h"

#include <algorithm>

namespace lowtide::explain {
namespace {

using model::Finding;

// What grew is little of what tensors held when the allocation failed.
bool is_small_beside(const Finding& growth, const Finding& failure) {
  constexpr double kSmall = 0.25;
  return growth.growth_bytes < kSmall * static_cast<double>(model::tensor_bytes_of(failure.parts));
}

// The variable is one through which the failed step reaches its own activations: a batch that grew, and
// nothing that is kept from step to step.
bool is_of_failed_step(const Finding& growth, const Finding& failure) {
  return !growth.variable.empty() && std::ranges::any_of(failure.parts, [&](const model::MemoryPart& part) {
    return part.kind == model::MemoryPartKind::Activations && part.variable == growth.variable;
  });
}

bool is_growth(const Finding& finding) {
  const model::FindingTheme theme = finding.id.row().theme;
  return !finding.ruled_out && finding.severity <= model::Severity::Medium &&
         (theme == model::FindingTheme::Variable || theme == model::FindingTheme::Growth);
}

}  // namespace

void clear_growth_of_failed_step(Findings& findings) {
  const auto failure = std::ranges::find_if(
      findings, [](const Finding& finding) { return finding.id == "cuda-out-of-memory"; });
  if (failure == findings.end()) return;
  for (Finding& finding : findings) {
    if (!is_growth(finding) || !(is_small_beside(finding, *failure) || is_of_failed_step(finding, *failure)))
      continue;
    finding.severity = model::Severity::Info;
    finding.fix.clear();
    finding.hint.clear();
    finding.watch.clear();
  }
}

}  // namespace lowtide::explain
