#include "judge/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

using model::VerdictKind;

constexpr double kTwoSided95 = 1.96;

// The pace of the rise that has ended.
std::optional<model::Rate> rate_of_warmup(const Evidence& e, std::size_t end) {
  const std::size_t points = end + 1 - std::min(end, e.first);
  if (points < 4) return std::nullopt;  // a jump has no pace
  // At most about 60 points: the median of all pairs is quadratic.
  const std::size_t stride = points / 60 + 1;
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t at = e.first; at <= end; at += stride) {
    x.push_back(e.curve.x[at]);
    y.push_back(e.spiky ? e.curve.low[at] : e.curve.mean[at]);
  }
  const SlopeEstimate slope = estimate_slope(x, y, 1e-4 * e.curve.level);
  if (!std::isfinite(slope.standard_error)) return std::nullopt;
  const double reach = kTwoSided95 * slope.standard_error;
  return model::Rate{slope.slope, slope.slope - reach, slope.slope + reach};
}

}  // namespace

std::optional<model::Rate> growth_rate(const Assessment& a) {
  const Evidence& e = a.evidence;
  if (e.floors.empty()) return std::nullopt;
  if (a.decision.settled && a.decision.settled->warmup_end)
    return rate_of_warmup(e, *a.decision.settled->warmup_end);
  const Regime& r = a.decision.regime;
  if (!std::isfinite(r.standard_error)) return std::nullopt;
  const double reach = kTwoSided95 * r.standard_error;
  return model::Rate{r.slope_now, r.slope_now - reach, r.slope_now + reach};
}

std::optional<model::Forecast> forecast(const Assessment& a, model::LimitKind limit,
                                        std::uint64_t limit_bytes) {
  if (a.decision.kind != VerdictKind::Leak && a.decision.kind != VerdictKind::Inconclusive)
    return std::nullopt;
  const std::optional<model::Rate> rate = growth_rate(a);
  if (!rate || rate->low <= 0 || a.evidence.curve.counted) return std::nullopt;

  const Evidence& e = a.evidence;
  const Regime& r = a.decision.regime;
  const double floor_now = e.floors.back() + r.slope_now * (e.curve.x.back() - e.floor_x.back());
  // One spike is an accident; several are how the job is.
  const double usual_spike = e.spikes >= model::kSpikesToNameThem ? e.spike_bytes : 0.0;
  const double headroom = static_cast<double>(limit_bytes) - floor_now - usual_spike;
  if (headroom <= 0) return std::nullopt;
  const double now = e.curve.x.back();
  const model::Range on_axis{now + headroom / rate->bytes, now + headroom / rate->high,
                             now + headroom / rate->low};

  model::Forecast out;
  out.limit = limit;
  out.limit_bytes = limit_bytes;
  if (e.curve.axis == model::Axis::Time) {
    out.seconds = on_axis;
    return out;
  }
  out.step = on_axis;
  const double end_s = e.curve.at_s.back();
  if (!std::isnan(end_s) && end_s > e.curve.at_s[r.start] && r.span > 0) {
    const double seconds_per_step = (end_s - e.curve.at_s[r.start]) / r.span;
    const auto at = [&](double x) { return end_s + (x - now) * seconds_per_step; };
    out.seconds = model::Range{at(on_axis.estimate), at(on_axis.low), at(on_axis.high)};
  }
  return out;
}

}  // namespace lowtide::judge
