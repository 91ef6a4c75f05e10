#include "verdict/method.h"

#include <algorithm>
#include <cmath>

#include "judge/detector.h"
#include "judge/live.h"

namespace lowtide::bench {
namespace {

// The sample nearest to a mark; the mark's time decides, where it has one.
std::optional<std::size_t> find_sample(const Series& series, const model::Mark& mark) {
  const std::vector<double>& axis = mark.at_s ? series.at_s : series.step;
  const std::optional<double> place = mark.at_s ? mark.at_s : mark.step;
  if (!place) return std::nullopt;
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (std::isnan(axis[i])) continue;
    if (!nearest || std::abs(axis[i] - *place) < std::abs(axis[*nearest] - *place)) nearest = i;
  }
  return nearest;
}

Opinion to_opinion(const Series& series, const model::Verdict& verdict) {
  Opinion opinion;
  opinion.kind = verdict.kind;
  opinion.confidence = verdict.confidence;
  opinion.axis = verdict.axis;
  if (verdict.rate) opinion.rate_mb = verdict.rate->bytes / kBytesPerMb;
  if (verdict.warmup_end) opinion.warmup_end_idx = find_sample(series, *verdict.warmup_end);
  if (verdict.plateau_bytes) opinion.plateau_mb = static_cast<double>(*verdict.plateau_bytes) / kBytesPerMb;
  return opinion;
}

// While the run goes on it is the live verdict that is asked; at its end, the one of a run that has ended.
Outcome judge_streaming(const Series& series, std::span<const std::size_t> moments) {
  Outcome outcome;
  judge::LiveVerdict live;
  judge::Detector detector;
  auto next = moments.begin();
  for (std::size_t i = 0; i < series.size(); ++i) {
    detector.add(to_sample(series, i));
    if (moments.empty()) continue;
    live.add(to_sample(series, i));
    if (next == moments.end() || i + 1 != *next) continue;
    outcome.moments.push_back({.samples = *next, .kind = live.kind()});
    ++next;
  }
  outcome.last = to_opinion(series, detector.verdict());
  if (!outcome.moments.empty() && outcome.moments.back().samples == series.size()) {
    outcome.moments.back().kind = outcome.last.kind;
  }
  return outcome;
}

}  // namespace

std::vector<std::size_t> log_spaced_moments(std::size_t samples) {
  constexpr std::size_t kFirst = 6;
  constexpr std::size_t kMoments = 24;
  if (samples <= kFirst) return {samples};
  std::vector<std::size_t> moments;
  const double ratio = static_cast<double>(samples) / kFirst;
  for (std::size_t k = 0; k < kMoments; ++k) {
    const double share = static_cast<double>(k) / (kMoments - 1);
    const auto at = static_cast<std::size_t>(std::lround(kFirst * std::pow(ratio, share)));
    if (moments.empty() || at > moments.back()) moments.push_back(at);
  }
  return moments;
}

Method detector_method() {
  return {.name = "judge", .title = "lowtide's detector, streaming", .judge = judge_streaming};
}

}  // namespace lowtide::bench
