#include "judge/live.h"

#include <algorithm>
#include <cstdlib>

#include "judge/growth.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

// At these odds about one innocent run in twenty is called a leak at some moment.
static const std::uint64_t kSamplesToSayAnything = getenv("KS") ? atoi(getenv("KS")) : 16;

double env(const char* n, double d) { const char* v = getenv(n); return v ? atof(v) : d; }
VerdictKind kind_for_now(const Assessment& a) {
  static const double TS = env("TS", 1.1), TF = env("TF", 1.1), H = env("HH", 0), HL = env("HL", .02), TD = env("TD",1.1), SR = env("SR",0);
  const Evidence& e = a.evidence;
  const bool after_knee = a.decision.regime.start > e.first;
  const double ratio = after_knee ? e.slope_before / a.decision.regime.slope : 0;
  const double thr = !after_knee ? TS : ratio < .25 ? TF : ratio < .9 ? TS : TD;
  if (a.decision.kind == VerdictKind::Leak && (a.decision.log_odds.value_or(0) < thr || a.decision.regime.significance < SR * a.decision.regime.boundary) && !a.grew_in_both) {
    return VerdictKind::Inconclusive;
  }
  if (H > 0 && a.decision.kind != VerdictKind::Leak && a.decision.kind != VerdictKind::Inconclusive) {
    const Regime& r = e.latest ? *e.latest : e.whole;
    if ((r.slope + 2 * r.standard_error) * H * e.span > HL * e.curve.level) return VerdictKind::Inconclusive;
  }
  return a.decision.kind;
}

// Something rises now that the verdict so far does not account for.
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
  next_look_ = samples + samples / 50 + 1;  // every 2 %
  const Assessment a = assess(detector_.generations());
  const VerdictKind now = kind_for_now(a);
  times_heard_ = now == heard_ ? times_heard_ + 1 : 1;
  heard_ = now;
  if (now == said_ || samples < kSamplesToSayAnything) return;

  if (now == VerdictKind::Inconclusive) {
    const bool said_leak = said_ == VerdictKind::Leak;
    if (!said_leak && speaks_against_flat(a) && times_heard_ >= 2) said_ = now;
    return;
  }
  const bool changes_mind = said_ != VerdictKind::Inconclusive && now != VerdictKind::Leak;
  if (times_heard_ >= (changes_mind ? 3U : 2U)) said_ = now;
}

model::Verdict LiveVerdict::verdict() const {
  model::Verdict out = detector_.verdict();
  out.kind = said_;
  return out;
}

}  // namespace lowtide::judge
