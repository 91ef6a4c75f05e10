#include "verdict/score.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "verdict/trend.h"

namespace lowtide::bench {
namespace {

using model::Axis;
using model::VerdictKind;

std::size_t place(VerdictKind kind) {
  return static_cast<std::size_t>(kind);
}

ErrorSpread spread(std::vector<double> errors) {
  const std::size_t count = errors.size();
  double sum = 0;
  for (const double error : errors) sum += error;
  const double mean = count > 0 ? sum / static_cast<double>(count) : kNothing;
  return {
      .mean = mean, .median = quantile(errors, 0.5), .p90 = quantile(std::move(errors), 0.9), .of = count};
}

std::optional<double> rate_error(const Truth& truth, const Opinion& opinion) {
  if (truth.kind != VerdictKind::Leak || opinion.kind != VerdictKind::Leak || !opinion.rate_mb)
    return std::nullopt;
  const std::optional<double> real =
      opinion.axis == Axis::Step ? truth.leak_mb_per_step : truth.leak_mb_per_s;
  if (!real || *real == 0) return std::nullopt;
  return 100 * std::abs(*opinion.rate_mb - *real) / *real;
}

double distance(std::size_t a, std::size_t b) {
  return static_cast<double>(a > b ? a - b : b - a);
}

// The moment from which on the kind was said without a break until the end.
std::size_t said_for_good_at(const std::vector<Moment>& moments, VerdictKind kind) {
  std::size_t k = moments.size() - 1;
  while (k > 0 && moments[k - 1].kind == kind) --k;
  return moments[k].samples;
}

// Moments on the ramp itself: there a warm-up without a pause cannot be distinguished from a leak.
bool on_the_ramp(const Truth& truth, std::size_t samples) {
  if (truth.kind != VerdictKind::Warmup) return false;
  const auto end = static_cast<double>(truth.warmup_end_idx.value_or(0));
  return static_cast<double>(samples) <= 1.1 * end + 2;
}

}  // namespace

FinalScore score_last(std::span<const Series> corpus, std::span<const Outcome> outcomes) {
  FinalScore score;
  std::vector<double> rates;
  std::vector<double> ends;
  std::vector<double> plateaus;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Truth& truth = corpus[i].truth;
    const Opinion& opinion = outcomes[i].last;
    const bool leak = opinion.kind == VerdictKind::Leak;
    if (leak) score.precision.add(truth.kind == VerdictKind::Leak);
    score.strict.add(truth.kind == opinion.kind);
    score.lenient.add(accepts(truth, opinion.kind));
    if (truth.kind == VerdictKind::Leak) {
      score.recall.add(leak);
      score.missed_as_clear.add(is_clear(opinion.kind));
    } else if (truth.kind == VerdictKind::Inconclusive) {
      score.leak_on_inconclusive.add(leak);
      score.clear_on_inconclusive.add(is_clear(opinion.kind));
    } else {
      score.false_alarms.add(leak);
      score.inconclusive_on_innocent.add(opinion.kind == VerdictKind::Inconclusive);
    }
    if (const auto error = rate_error(truth, opinion)) rates.push_back(*error);
    if (truth.kind != VerdictKind::Warmup || opinion.kind != VerdictKind::Warmup) continue;
    if (truth.warmup_end_idx && opinion.warmup_end_idx) {
      ends.push_back(100 * distance(*opinion.warmup_end_idx, *truth.warmup_end_idx) /
                     static_cast<double>(corpus[i].size()));
    }
    if (truth.plateau_mb && opinion.plateau_mb) {
      plateaus.push_back(100 * std::abs(*opinion.plateau_mb - *truth.plateau_mb) / *truth.plateau_mb);
    }
  }
  score.rate_error = spread(std::move(rates));
  score.warmup_end_error = spread(std::move(ends));
  score.plateau_error = spread(std::move(plateaus));
  return score;
}

LiveScore score_live(std::span<const Series> corpus, std::span<const Outcome> outcomes) {
  LiveScore score;
  std::vector<double> delays;
  std::vector<double> shares;
  std::vector<double> changes;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Truth& truth = corpus[i].truth;
    const std::vector<Moment>& moments = outcomes[i].moments;
    if (moments.empty()) continue;
    bool ever = false;
    bool ever_after_ramp = false;
    bool early = false;
    double changed = 0;
    const std::size_t onset = truth.leak_start_idx.value_or(0);
    for (std::size_t k = 0; k < moments.size(); ++k) {
      const bool leak = moments[k].kind == VerdictKind::Leak;
      ever = ever || leak;
      ever_after_ramp = ever_after_ramp || (leak && !on_the_ramp(truth, moments[k].samples));
      early = early || (leak && moments[k].samples < onset);
      if (k > 0 && moments[k].kind != moments[k - 1].kind) changed += 1;
    }
    changes.push_back(changed);
    if (truth.kind == VerdictKind::Inconclusive) {
      score.ever_leak_on_inconclusive.add(ever);
    } else if (truth.kind != VerdictKind::Leak) {
      score.ever_leak.add(ever);
      score.ever_leak_after_ramp.add(ever_after_ramp);
    } else {
      score.leak_before_onset.add(early);
      const bool is_called = moments.back().kind == VerdictKind::Leak;
      const std::size_t called = is_called ? said_for_good_at(moments, VerdictKind::Leak) : corpus[i].size();
      score.leak_before_end.add(called < corpus[i].size());
      if (!is_called) continue;
      const double delay = called > onset ? static_cast<double>(called - onset) : 0;
      delays.push_back(delay);
      shares.push_back(100 * delay /
                       std::max(1.0, static_cast<double>(corpus[i].size()) - static_cast<double>(onset)));
    }
  }
  score.delay_samples = spread(std::move(delays));
  score.delay_share = spread(std::move(shares));
  score.changes_median = quantile(changes, 0.5);
  double sum = 0;
  for (const double changed : changes) sum += changed;
  if (!changes.empty()) score.changes_mean = sum / static_cast<double>(changes.size());
  return score;
}

std::vector<CalibrationBin> calibrate(std::span<const Series> corpus, std::span<const Outcome> outcomes) {
  std::vector<CalibrationBin> bins;
  constexpr std::array kEdges = {0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0};
  for (std::size_t k = 0; k + 1 < kEdges.size(); ++k)
    bins.push_back({.low = kEdges[k], .high = kEdges[k + 1]});
  std::vector<double> sums(bins.size(), 0.0);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Opinion& opinion = outcomes[i].last;
    if (!opinion.confidence) return {};
    // A bin holds its lower edge; the last one also its upper.
    std::size_t k = bins.size() - 1;
    while (k > 0 && *opinion.confidence < bins[k].low) --k;
    ++bins[k].verdicts;
    sums[k] += *opinion.confidence;
    bins[k].right.add(accepts(corpus[i].truth, opinion.kind));
    bins[k].right_strict.add(corpus[i].truth.kind == opinion.kind);
  }
  for (std::size_t k = 0; k < bins.size(); ++k) {
    if (bins[k].verdicts > 0) bins[k].mean_confidence = 100 * sums[k] / static_cast<double>(bins[k].verdicts);
  }
  return bins;
}

Score score_method(const Method& method, std::span<const Series> corpus, Live live) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(corpus.size());
  const auto begin = std::chrono::steady_clock::now();
  for (const Series& series : corpus) {
    const std::vector<std::size_t> moments =
        live == Live::Yes ? log_spaced_moments(series.size()) : std::vector<std::size_t>{};
    outcomes.push_back(method.judge(series, moments));
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;

  std::map<std::string, std::vector<double>> rates;
  Score score;
  score.seconds = taken.count();
  score.last = score_last(corpus, outcomes);
  if (live == Live::Yes) score.live = score_live(corpus, outcomes);
  score.calibration = calibrate(corpus, outcomes);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Truth& truth = corpus[i].truth;
    const Opinion& opinion = outcomes[i].last;
    ++score.confusion[place(truth.kind)][place(opinion.kind)];
    FamilyScore& family = score.families[corpus[i].family];
    family.truth = truth.kind;
    ++family.said[place(opinion.kind)];
    family.accepted.add(accepts(truth, opinion.kind));
    if (const auto error = rate_error(truth, opinion)) rates[corpus[i].family].push_back(*error);
    if (opinion.confidence && *opinion.confidence >= 0.95)
      score.right_at_95.add(accepts(truth, opinion.kind));
  }
  for (auto& [name, errors] : rates) score.families[name].rate_error = spread(std::move(errors));
  return score;
}

}  // namespace lowtide::bench
