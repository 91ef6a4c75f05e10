// What looks like a leak to people and is none, and the limit when it is one.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

std::string place_words(const model::Mark& mark) {
  if (mark.step) return "step " + base::format_count(static_cast<std::uint64_t>(std::max(0.0, *mark.step)));
  if (mark.at_s) return base::format_seconds(*mark.at_s) + " into the run";
  return "some point";
}

}  // namespace

void find_shape(const Scene& scene, Findings& out) {
  const model::Verdict& verdict = scene.report.verdict;
  if (verdict.kind == VerdictKind::Warmup && verdict.warmup_end) {
    model::Finding finding;
    finding.id = "warmup-ended";
    finding.title = fmt::format("the warm-up ended at {}: not a leak", place_words(*verdict.warmup_end));
    finding.confidence = verdict.confidence;
    finding.evidence = {verdict.reason};
    finding.ruled_out = true;
    out.push_back(std::move(finding));
  }
  if (verdict.spike_bytes && verdict.kind != VerdictKind::Inconclusive) {
    model::Finding finding;
    finding.id = "spikes-recover";
    const std::string phase = spiking_phase(scene.report);
    finding.title = fmt::format("spikes of {}{} recover: they set the size of the machine, and do not leak",
                                bytes_words(static_cast<double>(*verdict.spike_bytes)),
                                phase.empty() ? "" : " in " + phase);
    finding.confidence = verdict.confidence;
    finding.evidence = {"the floor after a spike is the floor before it"};
    finding.ruled_out = true;
    out.push_back(std::move(finding));
  }
}

void find_limit_ahead(const Scene& scene, Findings& out) {
  const auto& forecast = scene.report.forecast;
  if (!forecast || !forecast->seconds || scene.report.verdict.kind != VerdictKind::Leak) return;
  const double left_s = forecast->seconds->estimate - scene.evidence.last_at_s;
  if (!std::isfinite(left_s) || left_s < 0 || scene.report.ending != model::Ending::Running) return;
  constexpr double kSoonSeconds = 3600;
  constexpr double kFarSeconds = 30.0 * 86400;
  if (left_s > kFarSeconds) return;
  model::Finding finding;
  finding.id = "limit-ahead";
  finding.severity = left_s < kSoonSeconds ? model::Severity::Critical : model::Severity::High;
  finding.title =
      fmt::format("the limit of {} is reached in about {}",
                  bytes_words(static_cast<double>(forecast->limit_bytes)), base::format_seconds(left_s));
  finding.confidence = scene.report.verdict.confidence;
  finding.evidence = {fmt::format(
      "between {} and {} into the run, if the floor goes on as it does",
      base::format_seconds(forecast->seconds->low),
      std::isfinite(forecast->seconds->high) ? base::format_seconds(forecast->seconds->high) : "never")};
  finding.fix = "save a checkpoint before that";
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
