#include "judge/decision.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

void settle(const Evidence& e, Decision& out) {
  const Curve& curve = e.curve;
  const std::size_t m = curve.size();
  const std::size_t k = e.floors.size();
  const std::size_t q = std::max<std::size_t>(3, k / 4);
  const double plateau = median({e.floors.end() - static_cast<std::ptrdiff_t>(std::min(q, k)), e.floors.end()});
  const std::vector<double>& trace = e.spiky ? curve.low : curve.mean;
  const std::size_t w = std::max<std::size_t>(1, std::min<std::size_t>(5, m / 40));
  std::vector<double> smooth = trace;
  if (w > 1) {
    for (std::size_t at = 0; at < m; ++at) {
      const std::size_t from = at > w ? at - w : 0;
      const std::size_t to = std::min(m, at + w + 1);
      smooth[at] = median({trace.begin() + static_cast<std::ptrdiff_t>(from), trace.begin() + static_cast<std::ptrdiff_t>(to)});
    }
  }
  const std::size_t k0 = e.first;
  double first = k0 > 0 ? *std::min_element(curve.mean.begin(), curve.mean.begin() + static_cast<std::ptrdiff_t>(k0) + 1)
                        : median({e.floors.begin(), e.floors.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, k / 12))});
  first = std::min(first, e.floors.front());
  const double rise = plateau - first;
  std::size_t end = 0;
  if (rise > std::max({0.04 * plateau, 6 * e.floor_noise, std::min(40 * base::kMB, 0.08 * plateau)})) {
    const double bar = plateau - std::max(0.05 * rise, 2.5 * e.floor_noise);
    const std::size_t ahead = std::max<std::size_t>(4, m / 10);
    end = m - 1;
    for (std::size_t at = 0; at < m; ++at) {
      if (smooth[at] < bar) continue;
      const std::size_t to = std::min(m, at + ahead);
      std::size_t above = 0;
      for (std::size_t j = at; j < to; ++j) above += smooth[j] >= bar ? 1 : 0;
      if (static_cast<double>(above) > 0.8 * static_cast<double>(to - at)) {
        end = at;
        break;
      }
    }
  }
  out.plateau = plateau;
  out.confidence = .9;
  if (static_cast<double>(end) > std::max(k0 > 0 ? 5.0 : 2.0, 0.045 * static_cast<double>(m))) {
    out.kind = VerdictKind::Warmup;
    out.warmup_end = end;
    std::size_t block = 0;
    while (block + 1 < k && e.floor_edges[block + 1] <= end) ++block;
    block = std::min(block, k > 3 ? k - 3 : 0);
    out.plateau = median({e.floors.begin() + static_cast<std::ptrdiff_t>(block), e.floors.end()});
  } else if (e.spikes >= 3) {
    out.kind = VerdictKind::Spikes;
  } else {
    out.kind = VerdictKind::Stable;
  }
}

// The odds (natural logarithm) that growth which has gone on until now is a leak
// rather than a warm-up that has not ended yet. Nothing in the curve tells the
// two apart; what helps is how long it has lasted and how much it has gained:
// warm-ups are short and large, leaks long and small. Logistic regression over
// generated and real series, docs/design/verdict.md.
double leak_log_odds(const Evidence& e, const Regime& r) {
  const bool after_knee = r.start > e.first;
  const double ratio = after_knee ? e.slope_before / r.slope : 0.0;
  const bool accelerated = after_knee && ratio >= 0.25 && ratio < 0.9;
  const Regime& unbroken = accelerated ? e.whole : r;
  double gain = r.slope * r.span;
  if (accelerated) gain += std::max(0.0, e.slope_before) * (e.curve.x[r.start] - e.curve.x[e.first]);
  double odds = -2.9 + 1.04 * std::log(static_cast<double>(unbroken.points)) - 7.1 * std::min(2.0, gain / e.curve.level);
  if (after_knee) odds += accelerated ? 0.4 : ratio < 0.25 ? 0.2 : -0.95;
  return odds;
}

// Growth without a pause since the start may be a warm-up that lasts this long.
bool past_warmup_budget(const Evidence& e, double odds) {
  const auto points = static_cast<double>(e.points);
  if (e.curve.axis == model::Axis::Step) return e.span >= 400 && (points >= 30 || odds >= 0);
  return points >= 240 || (e.span >= 600 && points >= 30) || odds >= 1;
}

}  // namespace

Decision decide(const Evidence& e) {
  Decision out;
  if (e.points < kFewestSamples || e.floors.empty()) {
    out.why = "too few";
    return out;
  }
  const double level = e.curve.level;
  out.regime = e.latest ? &*e.latest : &e.whole;
  if ((e.shape.best == Shape::Saturation || e.shape.best == Shape::Concave) && e.shape.advantage > 2 && e.slowing && !e.stairs) {
    const Regime& t = e.last_third;
    const double gain = (t.slope + t.standard_error) * t.span;
    if ((e.shape.best == Shape::Saturation && e.shape.remaining < std::max(.02 * level, std::min(16 * base::kMB, .04 * level)) && gain < .02 * level) || gain < .006 * level ||
        t.recurs || t.slope + 1.7 * t.standard_error <= 0) {
      settle(e, out);
      return out;
    }
    out.why = "slowing";
    return out;
  }
  std::vector<const Regime*> regimes;
  if (e.latest) regimes.push_back(&*e.latest);
  regimes.push_back(&e.whole);
  const double m = static_cast<double>(e.points);
  for (std::size_t q = 0; q < regimes.size(); ++q) {
    const Regime& r = *regimes[q];
    const bool tail = r.start > e.first;
    const double mr = static_cast<double>(r.points);
    if (r.flat) {
      const Regime* longer = q + 1 < regimes.size() && regimes[q + 1]->growing ? regimes[q + 1] : nullptr;
      if (!r.level && longer && r.slope + 2 * r.standard_error > .5 * longer->slope) { out.why = "flat-nocontra"; continue; }
      if (!r.level && e.points >= 36 && e.last_third.growing && e.last_third.slope * e.last_third.span > .05 * level) { out.why = "rising again"; continue; }
      if (tail && mr < std::max(8.0, .12 * m)) { out.why = "flat only short"; continue; }
      if (e.stairs && tail) { out.why = "stairs pause"; continue; }
      settle(e, out);
      return out;
    }
    if (r.growing) {
      bool slowed = false;
      for (std::size_t j = 0; j < q; ++j) {
        const Regime& s = *regimes[j];
        if (s.slope < .3 * r.slope && s.slope + 1.7 * s.standard_error < r.slope && !(e.stairs && s.flat)) slowed = true;
      }
      if (slowed) { out.why = "slowed latest"; continue; }
      if (!tail && e.slowing && !e.stairs) { out.why = "slowing whole"; continue; }
      if (tail && mr < std::max(12.0, .2 * m)) { out.why = "growth young"; continue; }
      const double odds = leak_log_odds(e, r);
      if (!past_warmup_budget(e, odds)) { out.why = "budget"; continue; }
      const double gain = r.slope * r.span / level;
      const double ratio = e.curve.axis == model::Axis::Step ? e.span / 400 : std::max(e.span / 600, m / 240);
      if (!tail && gain > .6 && ratio < 8) { out.why = "gross"; continue; }
      out.kind = VerdictKind::Leak;
      out.regime = &r;
      out.since_start = !tail;
      out.confidence = .9;
      return out;
    }
  }
  if (out.why.empty()) out.why = "neither";
  return out;
}

}  // namespace lowtide::judge
