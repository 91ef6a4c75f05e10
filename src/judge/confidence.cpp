#include "judge/confidence.h"

#include <algorithm>
#include <cmath>

#include "judge/growth.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

// Series of kinds that we have never seen are out there: nothing is surer than this.
constexpr double kSurest = 0.98;

// The share of open verdicts whose series were labelled so; what they will turn out to be is in the lean.
constexpr double kOpenAndRightlySo = 0.87;

double bounded(double log_odds) {
  return std::clamp(chance(log_odds), 0.5, kSurest);
}

}  // namespace

// Logistic regressions of "is right" on 8,000 generated and 84 real series,
// refitted by hand when the decision changes; the bench shows the calibration.
double confidence(const Assessment& a) {
  const Evidence& e = a.evidence;
  const Regime& r = e.latest ? *e.latest : e.whole;
  const double level = r.level ? 1 : 0;
  const double log_points = std::log(static_cast<double>(std::max<std::size_t>(1, e.points)));
  switch (a.decision.kind) {
    case VerdictKind::Leak: {
      const Regime& growth = a.decision.regime;
      const double margin =
          std::log(std::clamp(growth.significance / std::max(0.1, growth.boundary), 0.3, 20.0));
      return bounded(2.7 + 0.93 * std::clamp(a.decision.log_odds.value_or(0), -2.0, 4.0) + 0.58 * margin);
    }
    case VerdictKind::Warmup: {
      const auto after = static_cast<double>(e.curve.size() - *a.decision.settled->warmup_end);
      return bounded(1.3 + 0.29 * std::log(after) + 0.31 * after / static_cast<double>(e.points) +
                     2.1 * level);
    }
    case VerdictKind::Spikes:
      return bounded(2.1 - 1.3 * log_points + 2.1 * level +
                     3.2 * std::min(4.0, std::log1p(static_cast<double>(e.spikes))));
    case VerdictKind::Stable: {
      const double upper_gain = (r.slope + 2 * r.standard_error) * e.span / e.curve.level;
      return bounded(1.7 + 0.4 * log_points - 1.4 * level - 0.66 * std::clamp(r.significance, -3.0, 6.0) -
                     16 * std::clamp(upper_gain, -0.05, 0.1));
    }
    case VerdictKind::Inconclusive:
      break;
  }
  return kOpenAndRightlySo;
}

// Growth that neither pauses nor slows down leans towards a leak the longer it
// lasts, even where no single threshold is passed: warm-ups of real jobs end
// within a hundred steps or some minutes (docs/design/verdict.md, "The lean").
double chance_by_length(const Assessment& a) {
  constexpr double kEvenChance = 130;  // steps, or seconds
  const Evidence& e = a.evidence;
  if (e.points < 30 || e.curve.counted || !a.decision.regime.growing) return 0;
  return chance(0.9 * std::log(std::max(1.0, a.decision.regime.span) / kEvenChance));
}

std::optional<model::Lean> lean(const Assessment& a) {
  const Decision& d = a.decision;
  // The odds were learnt on longer series; on a handful of points they may not claim much.
  const double most = a.evidence.points < 30 ? 0.7 : 0.85;
  const auto leaning = [&](VerdictKind kind, double p) {
    return model::Lean{kind, std::clamp(p, 0.5, most)};
  };
  switch (d.doubt) {
    case Doubt::None:
    case Doubt::NoProgress:
      return std::nullopt;
    case Doubt::SlowingDown:
    case Doubt::FlatTooBriefly:
      return leaning(VerdictKind::Warmup, 0.7);
    case Doubt::TooFew:
    case Doubt::PausedBefore:
    case Doubt::RisingAgain:
    case Doubt::Leaving:
    case Doubt::GrowingTooBriefly:
    case Doubt::MayBeWarmup:
    case Doubt::Creeping:
    case Doubt::Undecided:
      break;
  }
  if (a.evidence.floors.empty()) return std::nullopt;
  if (!d.log_odds) return leaning(VerdictKind::Stable, 0.6);
  const double leak = std::max(chance(*d.log_odds), chance_by_length(a));
  return leak >= 0.5 ? leaning(VerdictKind::Leak, leak) : leaning(VerdictKind::Warmup, 1 - leak);
}

}  // namespace lowtide::judge
