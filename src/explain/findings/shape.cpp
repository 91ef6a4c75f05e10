// What looks like a leak to people and is none, and the limit when it is one.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/held/holder_features.h"
#include "explain/findings/held/sawtooth.h"
#include "explain/out_of_memory.h"
#include "explain/settle/sites/own_frames.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;

std::string place_words(const model::Mark& mark) {
  if (mark.step) return "step " + base::format_count(static_cast<std::uint64_t>(std::max(0.0, *mark.step)));
  if (mark.at_s) return base::format_seconds(*mark.at_s) + " into the run";
  return "an unknown point";
}

// The most that it fell by, from a peak to a low after it.
double most_fallen(const RecordedSeries& series) {
  double highest = 0;
  double out = 0;
  for (const SeriesPoint& point : series) {
    highest = std::max(highest, static_cast<double>(point.high_bytes));
    out = std::max(out, highest - static_cast<double>(point.low_bytes));
  }
  return out;
}

// Functions of the job that allocate most of what comes and goes with the spikes.
bool spikes_in_evaluation(const Scene& scene, double spike_bytes) {
  constexpr double kMostOfIt = 0.5;
  const SiteGroup* most = nullptr;
  double most_bytes = 0;
  for (const SiteGroup& group : scene.sites.groups) {
    const double fallen = most_fallen(group.live);
    if (fallen > most_bytes) {
      most = &group;
      most_bytes = fallen;
    }
  }
  if (most == nullptr || most_bytes < kMostOfIt * spike_bytes) return false;
  return std::any_of(most->frames().begin(), most->frames().end(), [](const model::Frame& frame) {
    return is_own_python(frame) && is_evaluation(frame.function);
  });
}

// A large variable of a function that evaluates the model.
bool is_held_in_evaluation(const Scene& scene, double spike_bytes) {
  constexpr double kPart = 0.2;  // of a spike: snapshots come when they come, not at the top
  for (const ProcessHolders& holders : scene.holders) {
    for (const HeldGrowth& grown : holders.grown) {
      const model::HeldNode& node = grown.holder.node;
      const std::string_view path = node.path;
      const std::string_view function = path.substr(0, path.size() - end_of_path(node).size());
      if (!node.file.empty() && static_cast<double>(node.retained_bytes) >= kPart * spike_bytes &&
          is_evaluation(function))
        return true;
    }
  }
  return false;
}

bool are_objects_known(const Scene& scene) {
  constexpr std::size_t kFewestSnapshots = 3;
  return std::any_of(scene.holders.begin(), scene.holders.end(),
                     [](const ProcessHolders& holders) { return holders.snapshots >= kFewestSnapshots; });
}

constexpr double kPartOfSpike = 0.2;  // snapshots come when they come, not at the top

const HeldGrowth* find_filled_and_emptied(const Scene& scene, double spike_bytes) {
  for (const ProcessHolders& holders : scene.holders) {
    for (const HeldGrowth& grown : holders.grown) {
      const bool is_large =
          static_cast<double>(grown.holder.node.retained_bytes) >= kPartOfSpike * spike_bytes ||
          std::abs(static_cast<double>(grown.holder.growth_bytes)) >= kPartOfSpike * spike_bytes;
      if (grown.gains > 0 && grown.losses > 0 && is_large) return &grown;
    }
  }
  return nullptr;
}

// The name of its id, and what to do about it.
void name_spikes(const Scene& scene, double spike_bytes, model::Finding& finding) {
  const std::string phase = spiking_phase(scene.report);
  finding.title = fmt::format("spikes of {}{} recover: they are not a leak, but the machine must hold them",
                              bytes_words(spike_bytes), phase.empty() ? "" : " in " + phase);
  const bool is_unnamed_evaluation = phase.empty() && (spikes_in_evaluation(scene, spike_bytes) ||
                                                       is_held_in_evaluation(scene, spike_bytes));
  if (is_evaluation(phase) || is_unnamed_evaluation) {
    finding.id = "validation-spikes";
    finding.evidence.emplace_back("each spike starts and ends with an evaluation of the model");
    finding.fix = advice::kEvaluationPeak;
    return;
  }
  finding.id = "spikes-recover";
  if (scene.report.verdict.kind == VerdictKind::Warmup || !are_objects_known(scene)) return;
  // Garbage grows from step to step: what comes and goes within one step is something else.
  constexpr double kFewestSteps = 3;
  const auto sawtooth = find_sawtooth(scene.evidence.target, spike_bytes / 2);
  if (!sawtooth || sawtooth->climb_steps < kFewestSteps) return;
  if (const HeldGrowth* filled = find_filled_and_emptied(scene, spike_bytes)) {
    finding.evidence.emplace_back(
        fmt::format("{} is filled and emptied", quoted_variable(filled->holder.node)));
    return;
  }
  if (const model::HeldNode* node = find_emptied(scene.evidence.snapshots, kPartOfSpike * spike_bytes)) {
    finding.evidence.emplace_back(fmt::format("{} is filled and emptied", quoted_variable(*node)));
    return;
  }
  finding.id = "gc-sawtooth";
  finding.title = fmt::format(
      "memory climbs by {} and falls again, not a leak: perhaps garbage that waits for the collector",
      bytes_words(spike_bytes));
  finding.evidence.emplace_back(fmt::format("{} climbs of about {}, each followed by a fall of about {}",
                                            sawtooth->climbs, base::format_seconds(sawtooth->climb_s),
                                            base::format_seconds(sawtooth->fall_s)));
  finding.fix = advice::kGarbage;
  finding.hint = "gc.collect()  # once per epoch, not in every step";
}

}  // namespace

void find_shape(const Scene& scene, Findings& out) {
  const model::Verdict& verdict = scene.report.verdict;
  if (verdict.kind == VerdictKind::Warmup && verdict.warmup_end) {
    model::Finding finding;
    finding.id = "warmup-ended";
    finding.title = fmt::format("not a leak: the warm-up ended at {}", place_words(*verdict.warmup_end));
    finding.confidence = verdict.confidence;
    finding.evidence = {verdict.reason};
    finding.fix = advice::kNone;
    finding.ruled_out = true;
    out.push_back(std::move(finding));
  }
  // The last spike of a job that ran out of memory does not recover.
  const bool ran_out = find_fatal_oom(scene.report.events, scene.evidence.has_failed_process()) != nullptr;
  if (verdict.spike_bytes && verdict.kind != VerdictKind::Inconclusive && !ran_out) {
    model::Finding finding;
    finding.confidence = verdict.confidence;
    finding.evidence = {"the floor is the same before and after a spike"};
    name_spikes(scene, static_cast<double>(*verdict.spike_bytes), finding);
    finding.ruled_out = true;
    out.push_back(std::move(finding));
  }
}

void find_limit_ahead(const Scene& scene, Findings& out) {
  constexpr double kFarSeconds = 30.0 * 86400;
  const auto left_s = seconds_to_limit(scene);
  if (!left_s || *left_s > kFarSeconds) return;
  const auto& forecast = scene.report.forecast;
  model::Finding finding;
  finding.id = "limit-ahead";
  finding.severity = *left_s < kSoonSeconds ? model::Severity::Critical : model::Severity::High;
  const std::string size = base::format_limit(forecast->limit_bytes);
  const std::string left = base::format_seconds(*left_s);
  finding.title = forecast->limit == model::LimitKind::Tmpfs
                      ? fmt::format("{} ({}) is full in about {}", forecast->path, size, left)
                      : fmt::format("the limit of {} is reached in about {}", size, left);
  finding.confidence = scene.report.verdict.confidence;
  finding.evidence = {fmt::format(
      "between {} and {} into the run, if the growth continues", base::format_seconds(forecast->seconds->low),
      std::isfinite(forecast->seconds->high) ? base::format_seconds(forecast->seconds->high) : "never")};
  finding.fix = advice::kCheckpoint;
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain
