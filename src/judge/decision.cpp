#include "judge/decision.h"

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "judge/growth.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

// Growth this far below the odds of a leak must outlast any warm-up.
constexpr double kLeastLogOdds = -2;
constexpr double kSteeper = 3;    // times as steep: a rise whose end is a warm-up that fades
constexpr double kCreep = 0.002;  // of the level: less is flat, however sure

Decision settled(const Evidence& e, Decision decision) {
  decision.settled = settle(e);
  decision.kind = decision.settled->kind;
  decision.doubt = Doubt::None;
  return decision;
}

bool is_curved(const Evidence& e) {
  return e.shape.best == Shape::Saturation || e.shape.best == Shape::Concave;
}

// The curve bends over: has it arrived, or is it only on its way?
bool has_arrived(const Evidence& e) {
  const double level = e.curve.level;
  const Regime& tail = e.last_third;
  const double tail_gain = (tail.slope + tail.standard_error) * tail.span;
  const double nearly_nothing = std::max(0.02 * level, std::min(16 * base::kMB, 0.04 * level));
  if (e.shape.best == Shape::Saturation && e.shape.remaining < nearly_nothing && tail_gain < 0.02 * level)
    return true;
  return tail_gain < 0.006 * level || tail.recurs || tail.slope + 1.7 * tail.standard_error <= 0;
}

Doubt doubt_about_flat(const Evidence& e, const Regime& r, const Regime* longer) {
  const bool tail = r.start > e.first;
  const bool contradicts_longer_trend =
      !longer || !longer->growing || r.slope + 2 * r.standard_error <= 0.5 * longer->slope;
  if (!r.level && !contradicts_longer_trend) return Doubt::FlatTooBriefly;
  const Regime& third = e.last_third;
  if (!r.level && e.points >= 36 && third.growing && third.slope * third.span > 0.05 * e.curve.level)
    return Doubt::RisingAgain;
  if (tail && static_cast<double>(r.points) < std::max(8.0, 0.12 * static_cast<double>(e.points)))
    return Doubt::FlatTooBriefly;
  if (tail && e.stairs) return Doubt::PausedBefore;
  if (e.leaving) return Doubt::Leaving;
  if (!tail && r.certain && r.slope * r.span > kCreep * e.curve.level) return Doubt::Creeping;
  return Doubt::None;
}

Doubt doubt_about_growth(const Evidence& e, const Regime& r, const Regime* later, double log_odds) {
  const bool tail = r.start > e.first;
  const bool slowed = later && later->slope < 0.3 * r.slope &&
                      later->slope + 1.7 * later->standard_error < r.slope && !(e.stairs && later->flat);
  if (slowed || (!tail && e.slowing && !e.stairs)) return Doubt::SlowingDown;
  if (tail && e.slope_before > kSteeper * r.slope && has_stopped(e, r)) return Doubt::SlowingDown;
  if (tail && static_cast<double>(r.points) < std::max(12.0, 0.2 * static_cast<double>(e.points)))
    return Doubt::GrowingTooBriefly;
  const bool gross = !tail && log_odds < kLeastLogOdds && !past_any_warmup(e);
  if (!past_warmup_budget(e, log_odds) || gross) return Doubt::MayBeWarmup;
  return Doubt::None;
}

}  // namespace

Decision decide(const Evidence& e) {
  Decision out;
  out.doubt = e.points < kFewestToJudge ? Doubt::TooFew
              : e.floors.empty()        ? Doubt::NoProgress
                                        : Doubt::Undecided;
  if (e.floors.empty()) return out;
  out.regime = e.latest ? *e.latest : e.whole;
  if (out.doubt == Doubt::TooFew) out.regime = e.whole;
  if (out.regime.slope > 0) out.log_odds = leak_log_odds(e, out.regime);
  if (out.doubt == Doubt::TooFew) return out;

  if (is_curved(e) && e.shape.advantage > 2 && e.slowing && !e.stairs) {
    if (has_arrived(e)) return settled(e, out);
    out.doubt = Doubt::SlowingDown;
    return out;
  }

  // From the latest stretch to the whole: the first one that is beyond doubt decides.
  const Regime* const latest = e.latest ? &*e.latest : nullptr;
  // A curve describes the floors better than a line or a knee, if not by much: then the odds decide.
  const bool bends = is_curved(e) && !e.stairs;
  bool resembles_warmup = false;
  for (const Regime* regime : {latest, &e.whole}) {
    if (!regime) continue;
    const bool is_latest = regime == latest;
    if (regime->flat) {
      const Doubt doubt = doubt_about_flat(e, *regime, is_latest ? &e.whole : nullptr);
      if (doubt == Doubt::None) return settled(e, out);
      out.doubt = doubt;
    } else if (regime->growing) {
      const double log_odds = leak_log_odds(e, *regime);
      resembles_warmup = resembles_warmup || log_odds < 0;
      const Doubt doubt = bends && resembles_warmup
                              ? Doubt::SlowingDown
                              : doubt_about_growth(e, *regime, is_latest ? nullptr : latest, log_odds);
      out.regime = *regime;
      out.log_odds = log_odds;
      out.doubt = doubt;
      if (doubt == Doubt::None) {
        out.kind = VerdictKind::Leak;
        return out;
      }
    }
  }
  // After a steep rise, a remnant of growth that its own last third does not show any more.
  if (latest && !latest->growing && e.slope_before > kSteeper * latest->slope && e.last_third.flat &&
      !e.stairs && !e.leaving) {
    return settled(e, out);
  }
  return out;
}

}  // namespace lowtide::judge
