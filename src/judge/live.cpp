#include "judge/live.h"

#include <algorithm>
#include <cmath>

#include "judge/wording.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

// At these log odds, and said for so long, less than one innocent run in fifty is called a leak at some
// moment (docs/design/verdict.md). Growth after a flat part needs the same: a second warm-up is no rarer than
// the first. Growth by a tenth of the level or more needs higher odds: among so many checks the few long
// warm-ups decide, and these gain more than leaks do.
constexpr double kOddsToSayLeak = 1.5;
constexpr double kOddsPerGain = 7;
constexpr double kMostGain = 0.1;

// Growth that has just enough odds must have them for 11 checks, in which the run becomes longer by 40%: most
// mistakes are made there. The more odds it has, the less is risked by not waiting.
constexpr double kMostChecks = 11;
constexpr double kFewestChecks = 7;
constexpr double kChecksPerOdds = 3;
constexpr std::uint32_t kChecksToSay = 2;
constexpr std::uint64_t kFewestToSpeak = 20;

// "Stable" is a promise for some time to come: even three times as long as it
// has been seen, growth within the error must not matter.
bool will_stay_flat(const Evidence& e) {
  const Regime& r = e.latest ? *e.latest : e.whole;
  return (r.slope + 2 * r.standard_error) * 3 * e.span <= 0.02 * e.curve.level;
}

// Log odds of the growth beyond those that a leak needs.
double odds_to_spare(const Assessment& a) {
  const Regime& growth = a.decision.regime;
  const double gain = growth.slope * growth.span / a.evidence.curve.level;
  return a.decision.log_odds.value_or(0) - kOddsToSayLeak - kOddsPerGain * std::min(kMostGain, gain);
}

std::uint32_t checks_to_say_leak(const Assessment& a) {
  const double checks =
      std::clamp(kMostChecks - kChecksPerOdds * odds_to_spare(a), kFewestChecks, kMostChecks);
  return static_cast<std::uint32_t>(std::lround(checks));
}

VerdictKind kind_for_now(const Assessment& a) {
  const VerdictKind kind = a.decision.kind;
  if (kind == VerdictKind::Inconclusive) return kind;
  if (kind != VerdictKind::Leak) return will_stay_flat(a.evidence) ? kind : VerdictKind::Inconclusive;
  // After a flat stretch a slow wander looks like growth: the slope must be surer than usual.
  const Regime& growth = a.decision.regime;
  const bool wander = growth.start > a.evidence.first && growth.significance < 1.3 * growth.boundary;
  const bool likely = a.grew_in_both || (odds_to_spare(a) >= 0 && !wander);
  return likely ? kind : VerdictKind::Inconclusive;
}

// More samples than there are between the checks that are needed, in most cases.
Requirement required_live() {
  return {.decides = [](const Assessment& a) { return kind_for_now(a) != VerdictKind::Inconclusive; },
          .fewest_samples = kFewestToSpeak,
          .more_samples = 0.5};
}

// Something rises now that the current verdict does not explain.
bool speaks_against_flat(const Assessment& a) {
  const Doubt doubt = a.decision.doubt;
  return a.decision.kind == VerdictKind::Leak || doubt == Doubt::Leaving || doubt == Doubt::RisingAgain ||
         doubt == Doubt::GrowingTooBriefly || doubt == Doubt::MayBeWarmup;
}

}  // namespace

void LiveVerdict::add(const model::Sample& sample) {
  detector_.add(sample);
  if (detector_.samples() >= next_look_) look();
}

void LiveVerdict::look() {
  const std::uint64_t samples = detector_.samples();
  next_look_ = samples + samples / 32 + 2;  // every 3%: about 400 checks for ten million samples
  const Assessment a = assess(detector_.generations());
  const VerdictKind now = kind_for_now(a);
  times_heard_ = now == heard_ ? times_heard_ + 1 : 1;
  heard_ = now;
  if (now == said_ || samples < kFewestToSpeak) return;

  if (now == VerdictKind::Inconclusive) {
    const bool said_leak = said_ == VerdictKind::Leak;
    if (!said_leak && speaks_against_flat(a) && times_heard_ >= 2) said_ = now;
    return;
  }
  if (times_heard_ >= (now == VerdictKind::Leak ? checks_to_say_leak(a) : kChecksToSay)) said_ = now;
}

model::Verdict LiveVerdict::verdict() const {
  const Assessment a = assess(detector_.generations());
  model::Verdict out = to_verdict(a, detector_.samples());
  if (said_ == VerdictKind::Inconclusive) {
    out.needs = needs(a, required_live());
  }
  if (out.kind == said_) return out;
  if (said_ == VerdictKind::Inconclusive) {
    out.lean = model::Lean{out.kind, out.confidence};
    out.confidence = 1 - out.confidence;
  } else {
    // Said before and not taken back: the samples since do not contradict it.
    out.confidence = 0.5;
    out.lean.reset();
    out.needs.reset();
  }
  out.kind = said_;
  return out;
}

}  // namespace lowtide::judge
