// What the phases of a training do with memory: which one makes the spikes, and which one does not give back
// what it took.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kMostInPhase = 0.6;
constexpr double kLittleOfIt = 0.2;

// The phase that keeps most; null: none keeps most of the growth.
const model::PhaseReport* keeper(const model::Report& report) {
  if (!report.growth || report.growth->floor_bytes <= 0) return nullptr;
  const model::PhaseReport* found = nullptr;
  for (const model::PhaseReport& phase : report.phases) {
    if (found == nullptr || phase.phase.kept_bytes > found->phase.kept_bytes) found = &phase;
  }
  if (found == nullptr) return nullptr;
  const double growth = static_cast<double>(report.growth->floor_bytes);
  const double kept = static_cast<double>(found->phase.kept_bytes);
  // What is kept may have been taken once, in the first epoch: where another phase keeps much too, none is
  // accused.
  for (const model::PhaseReport& other : report.phases) {
    if (&other != found && static_cast<double>(other.phase.kept_bytes) > kLittleOfIt * kept) return nullptr;
  }
  return kept >= kMostInPhase * growth ? found : nullptr;
}

}  // namespace

void find_keeping_phase(const Scene& scene, Findings& out) {
  const model::Report& report = scene.report;
  if (report.verdict.kind != model::VerdictKind::Leak) return;
  const model::PhaseReport* found = keeper(report);
  // One phase alone says nothing that the verdict has not said.
  if (found == nullptr || report.phases.size() < 2 || found->phase.count < 3) return;
  const model::Phase& phase = found->phase;
  const double kept = static_cast<double>(phase.kept_bytes);
  model::Finding finding;
  finding.id = "phase-keeps";
  finding.severity = model::Severity::Medium;
  finding.title = fmt::format("phase {} keeps {} per visit", phase.name,
                              bytes_words(kept / static_cast<double>(phase.count)));
  finding.pid = found->pid;
  finding.phase = phase.name;
  finding.share = std::min(1.0, kept / static_cast<double>(report.growth->floor_bytes));
  finding.confidence = report.verdict.confidence;
  finding.evidence = {
      fmt::format("{} allocated in its {} visits is still live", bytes_words(kept), phase.count)};
  for (const model::PhaseReport& other : report.phases) {
    if (&other == found) continue;
    finding.evidence.emplace_back(fmt::format("phase {}: {} in {} visits", other.phase.name,
                                              bytes_words(static_cast<double>(other.phase.kept_bytes)),
                                              other.phase.count));
  }
  finding.fix = fmt::format(advice::kPhase, phase.name);
  out.push_back(std::move(finding));
}

std::string spiking_phase(const model::Report& report) {
  const double spike = static_cast<double>(report.verdict.spike_bytes.value_or(0));
  const model::PhaseReport* highest = nullptr;
  double second = 0;
  for (const model::PhaseReport& phase : report.phases) {
    if (highest == nullptr || phase.phase.peak_bytes > highest->phase.peak_bytes) highest = &phase;
  }
  for (const model::PhaseReport& phase : report.phases) {
    if (&phase != highest && phase.pid == highest->pid)
      second = std::max(second, static_cast<double>(phase.phase.peak_bytes));
  }
  const bool stands_out = highest != nullptr && second > 0 && spike > 0 &&
                          static_cast<double>(highest->phase.peak_bytes) - second >= spike / 2;
  return stands_out ? highest->phase.name : "";
}

}  // namespace lowtide::explain
