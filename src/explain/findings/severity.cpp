// How grave a finding is: by its share of the growth, and by the time that is left.

#include <cmath>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

std::optional<double> seconds_to_limit(const Scene& scene) {
  const auto& forecast = scene.report.forecast;
  if (!forecast || !forecast->seconds || scene.report.verdict.kind != model::VerdictKind::Leak ||
      scene.report.ending != model::Ending::Running) {
    return std::nullopt;
  }
  const double left_s = forecast->seconds->estimate - scene.evidence.last_at_s;
  return std::isfinite(left_s) && left_s >= 0 ? std::optional(left_s) : std::nullopt;
}

void weigh(const Scene& scene, Findings& out) {
  constexpr double kSmallShare = 0.2;
  const auto left_s = seconds_to_limit(scene);
  for (model::Finding& finding : out) {
    if (finding.severity != model::Severity::High || !finding.share) continue;
    if (*finding.share < kSmallShare) {
      finding.severity = model::Severity::Medium;
    } else if (left_s && *left_s < kSoonSeconds) {
      finding.severity = model::Severity::Critical;
    }
  }
}

}  // namespace lowtide::explain
