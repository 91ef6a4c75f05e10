#include "judge/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "judge/amounts.h"
#include "judge/spikes.h"
#include "judge/stairs.h"
#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

constexpr std::size_t kMostFloors = 40;
constexpr std::size_t kMostRegimeFloors = 32;

// Chances to take a flat series for a growing one, each time-uniform; how they
// were found: docs/design/verdict.md.
constexpr double kAlpha = 0.03;
constexpr double kAlphaAfterKnee = kAlpha / 8;  // a knee that was searched for pays for the search
constexpr double kAlphaAfterRise = 0.0005;      // the remnant of a warm-up looks like a slow leak
constexpr double kAccelerates = 8;              // BIC by which a parabola must beat the line
constexpr double kWanders = 0.5;  // autocorrelation of the floors that a walk with a drift may have (pace_of)
constexpr double kMostFalls = 0.1;    // of the rises: with more, noise decides what the ends are
constexpr double kPaceChanges = 2.5;  // standard errors; nine in ten walks of bursts stay below 2.3
constexpr double kAsBefore = 0.25;    // of a pace: growth before a knee that belongs to the growth after it
constexpr std::size_t kFewestToSkip = 8;  // floors, of which the first one may be left out
constexpr double kCurved = 2;             // BIC by which a curve must beat a straight shape (decision)
constexpr double kHuber = 3;              // standard deviations at which residuals are clipped
constexpr double kTrendless = 1.75;       // standard errors below which a slope is no trend
// The floor below spikes is known to a share of their height only: where a collector stops, and which reading
// came next.
constexpr double kBelowTeeth = 0.15;
constexpr double kTrendlessBelowTeeth = 2.5;
constexpr std::size_t kFewestToTurn = 10;  // floors in which a second knee is searched for
constexpr double kImmaterial = 0.01;       // share of the level that a whole stretch may gain and be flat

struct Floors {
  std::vector<double> x;
  std::vector<double> value;
  std::vector<std::size_t> edges;
};

// `count` equal blocks of the points [start, end of curve). The floor of a block
// is its second lowest minimum where there are spikes (one dip is no floor),
// else its typical value, which is known better than any minimum.
Floors block_floors(const Curve& curve, std::size_t start, std::size_t count, bool spiky) {
  const std::size_t points = curve.size() - start;
  Floors out;
  out.edges.push_back(start);
  for (std::size_t block = 0; block < count; ++block) {
    const std::size_t from = start + points * block / count;
    const std::size_t to = std::max(from + 1, start + points * (block + 1) / count);
    out.edges.push_back(to);
    double sum_x = 0;
    for (std::size_t at = from; at < to; ++at) sum_x += curve.x[at];
    out.x.push_back(sum_x / static_cast<double>(to - from));
    const auto begin = static_cast<std::ptrdiff_t>(from);
    const auto end = static_cast<std::ptrdiff_t>(to);
    if (spiky) {
      std::vector<double> lows(curve.low.begin() + begin, curve.low.begin() + end);
      const auto nth = lows.begin() + (lows.size() >= 12 ? 1 : 0);
      std::nth_element(lows.begin(), nth, lows.end());
      out.value.push_back(*nth);
    } else {
      out.value.push_back(median({curve.mean.begin() + begin, curve.mean.begin() + end}));
    }
  }
  return out;
}

std::size_t floor_count(const Evidence& e, std::size_t points, std::size_t most, std::size_t fewest) {
  std::size_t count = std::min(most, points >= 24 ? points / 3 : points >= 16 ? points / 2 : points);
  if (e.spiky && e.spike_points > 0) {
    const auto roomy =
        static_cast<std::size_t>(static_cast<double>(points) / (1.6 * static_cast<double>(e.spike_points)));
    count = std::max(fewest + 1, std::min(count, roomy));
  }
  return std::max(fewest, std::min(count, points));
}

// A late slope clearly below 60% of the early one (the first floor is start-up).
bool is_slowing(std::span<const double> x, std::span<const double> floors, double least_sd) {
  if (floors.size() >= 10) {
    x = x.subspan(1);
    floors = floors.subspan(1);
  }
  const std::size_t half =
      std::max<std::size_t>(3, static_cast<std::size_t>(0.45 * static_cast<double>(floors.size())));
  if (floors.size() < half) return false;
  const double sd = 1.5 * std::max(least_sd, noise_sd(floors));
  const auto variance = [&](std::span<const double> place) {
    const double centre = mean(place);
    double sxx = 0;
    for (const double value : place) sxx += (value - centre) * (value - centre);
    return sd * sd / std::max(1e-12, sxx);
  };
  const auto early_x = x.first(half);
  const auto late_x = x.last(half);
  const double early = theil_sen(early_x, floors.first(half));
  const double late = theil_sen(late_x, floors.last(half));
  const double error = std::sqrt(0.36 * variance(early_x) + variance(late_x));
  return early > 0 && late < 0.55 * early && 0.6 * early - late > 1.5 * error;
}

}  // namespace

namespace {

// Block floors are robust but throw information away. Where nothing spikes, all
// points are used once more: least squares with the residuals of the robust
// line clipped (one Huber step).
double refine_slope(const Curve& curve, std::size_t start, double slope) {
  const std::span<const double> x(curve.x.data() + start, curve.size() - start);
  std::vector<double> residuals(x.size());
  for (std::size_t at = 0; at < x.size(); ++at) residuals[at] = curve.mean[start + at] - slope * x[at];
  const double centre = median(residuals);
  for (double& value : residuals) value -= centre;
  const double reach = kHuber * mad_sd(residuals);
  for (double& value : residuals) value = std::clamp(value, -reach, reach);
  return slope + fit_line(x, residuals).slope;
}

// The floors hardly ever fall, so what makes them stray from a line is no noise: they grow in bursts.
bool climbs(std::span<const double> floors) {
  const std::vector<double> changes = differences(floors);
  double falls = 0;
  double deepest = 0;
  for (const double change : changes) {
    falls -= std::min(0.0, change);
    deepest = std::max(deepest, -change);
  }
  const double gain = floors.back() - floors.front();
  return falls < kMostFalls * (gain + falls) && deepest * static_cast<double>(changes.size()) < gain;
}

// The pace of a regime at its end.
//
// Growth in bursts (per epoch, per evaluation, per worker that is started) is a walk with a drift: it strays
// from every line, and the next burst starts from where the last one ended. What such a walk shows of its
// drift is in its two ends. A line through all floors weighs the middle, and a few bursts of unequal size
// move it by 5%. Such a walk of 32 floors leaves residuals with an autocorrelation of 0.7 in the median, so
// from kWanders on the ends of the run give the pace. For the same reason a walk accelerates only if its
// increments show it. Where the floors fall, noise is a part of the wandering, and after a knee the first
// floors may be the end of something else: there least squares with that correlation are better.
double pace_of(const Evidence& e, std::size_t start, const Floors& floors, const SlopeEstimate& line,
               double least_sd) {
  const std::span<const double> x = floors.x;
  const std::span<const double> y = floors.value;
  const bool walks = climbs(y);
  const Acceleration acceleration = fit_acceleration(x, y, e.curve.x.back(), least_sd);
  if (x.size() >= 8 && acceleration.advantage > kAccelerates &&
      (start > e.first || !walks || pace_acceleration_t(x, y, least_sd) > kPaceChanges))
    return std::max(line.slope, acceleration.slope_at_end);
  if (line.autocorrelation > kWanders)
    return walks && start == e.first ? (y.back() - y.front()) / (x.back() - x.front())
                                     : fit_correlated(x, y, line.autocorrelation, least_sd).slope;
  return e.spiky ? line.slope : refine_slope(e.curve, start, line.slope);
}

// The last few points, all of them, stand clearly above the settled floors.
bool is_leaving(const Evidence& e) {
  const Curve& curve = e.curve;
  if (e.floors.size() < 8) return false;
  const std::size_t last = std::max<std::size_t>(3, e.points / 40);
  const std::vector<double>& trace = e.spiky ? curve.low : curve.mean;
  const double now = *std::min_element(trace.end() - static_cast<std::ptrdiff_t>(last), trace.end());
  const std::size_t recent = e.floors.size() / 8 + 1;
  const std::span<const double> settled =
      std::span(e.floors).last(e.floors.size() * 3 / 4).first(e.floors.size() * 3 / 4 - recent);
  const double usual = *std::max_element(settled.begin(), settled.end());
  const double excess = now - usual;
  if (excess <= std::max({0.03 * curve.level, 8 * e.floor_noise, 6 * curve.noise})) return false;
  double highest = 0;
  std::size_t longest = 0;
  for (const Excursion& spike : e.recovered) {
    highest = std::max(highest, spike.height);
    longest = std::max(longest, spike.length());
  }
  return excess > 1.3 * highest || last > 2 * longest;
}

// The stretch since the floor `knee`, and the slope between `from` and it.
void measure_latest(Evidence& e, std::size_t from, std::size_t knee) {
  const std::size_t last_start = e.curve.size() - std::min<std::size_t>(e.points, 6);
  const std::size_t start = std::min(e.floor_edges[knee], last_start);
  if (start <= e.first) return;
  const std::size_t count = knee + 1 - from;
  e.slope_before =
      theil_sen(std::span(e.floor_x).subspan(from, count), std::span(e.floors).subspan(from, count));
  e.latest = measure_regime(e, start, kAlphaAfterKnee);
  if (e.slope_before > e.latest->slope) e.latest = measure_regime(e, start, kAlphaAfterRise);
}

// A run may turn twice: it warms up, stays flat, and then leaks. The floor after `knee` from which on the
// rest rises faster than before; 0 if it does not.
std::size_t find_turn(const Evidence& e, std::span<const double> unit, std::size_t knee) {
  const std::size_t count = e.floors.size() - knee;
  if (count < kFewestToTurn) return 0;
  const std::span<const double> floors = std::span(e.floors).subspan(knee);
  const std::span<const double> x = unit.subspan(knee);
  const ShapeFit rest = fit_shapes(x, floors, std::max(e.floor_noise, 0.0015 * e.curve.level));
  if (rest.best != Shape::Hinge || rest.knee < 2 || rest.knee >= count) return 0;
  const double before = theil_sen(x.first(rest.knee + 1), floors.first(rest.knee + 1));
  const double after = theil_sen(x.subspan(rest.knee), floors.subspan(rest.knee));
  return after > 2 * std::max(0.0, before) ? knee + rest.knee : 0;
}

// Less growth than this is not called a leak.
bool is_material(const Evidence& e, const Regime& r) {
  const double matters = std::max(0.012 * e.curve.level, at_most_share(30 * base::kMB, e.curve.level, 0.03));
  return r.slope * e.span > matters && r.slope * r.span > 0.4 * matters;
}

// Residuals that wander leave few independent points, and an error that is known from so few is hardly ever
// small enough. Growth that began at a turn, or with the run, may pass the second test instead. The end of a
// steeper rise may not: a rise that fades wanders, too.
void test_again(Evidence& e) {
  if (e.latest && e.slope_before > e.latest->slope) return;
  Regime& r = e.latest ? *e.latest : e.whole;
  if (r.growing || !r.certain_if_correlated || !is_material(e, r) || has_stopped(e, r)) return;
  r.certain = r.growing = true;
  r.level = r.recurs = r.flat = false;
}

// Few bursts of unequal size look as if the growth had turned. Unless the turn is beyond doubt, the pace is
// that of the whole run.
void settle_pace(Evidence& e) {
  if (!e.latest || !e.latest->growing || !e.whole.growing) return;
  if (e.slope_before < kAsBefore * e.latest->slope) return;
  const double at = e.curve.x[e.latest->start];
  const double least_sd = std::max(0.25 * e.floor_noise, 1e-4 * e.curve.level);
  const bool turns =
      climbs(e.floors) ? pace_turn_t(e.floor_x, e.floors, at, least_sd) > kPaceChanges
                       : turn_t(e.floor_x, e.floors, at, least_sd) >
                             time_uniform_boundary(static_cast<double>(e.floors.size()) - 4, kAlphaAfterKnee);
  if (!turns) e.latest->slope_now = e.whole.slope_now;
}

bool is_curved(const ShapeFit& fit, double advantage) {
  return (fit.best == Shape::Saturation || fit.best == Shape::Concave) && fit.advantage > advantage;
}

ShapeFit fit_floors(const Evidence& e, std::span<const double> unit, std::size_t from) {
  ShapeFit fit = fit_shapes(unit.subspan(from), std::span(e.floors).subspan(from),
                            std::max(e.floor_noise, 0.0015 * e.curve.level));
  if (fit.knee > 0) fit.knee += from;
  return fit;
}

}  // namespace

bool has_stopped(const Evidence& e, const Regime& r) {
  return e.last_third.flat && e.last_third.slope < 0.5 * r.slope;
}

Regime measure_regime(const Evidence& e, std::size_t start, double alpha) {
  const Curve& curve = e.curve;
  Regime r;
  r.start = start;
  r.points = curve.size() - start;
  const std::size_t count = floor_count(e, r.points, kMostRegimeFloors, 3);
  const Floors floors = block_floors(curve, start, count, e.spiky);
  const double least_sd = std::max(0.25 * e.floor_noise, 1e-4 * curve.level);
  const SlopeEstimate estimate = estimate_slope(floors.x, floors.value, least_sd);
  const bool searched = start > e.first;

  r.slope = estimate.slope;
  r.standard_error = estimate.standard_error;
  r.residual_sd = estimate.residual_sd;
  const CorrelatedLine correlated =
      fit_correlated(floors.x, floors.value, estimate.autocorrelation, least_sd);
  r.slope_now = pace_of(e, start, floors, estimate, least_sd);
  r.span = std::max(1e-9, curve.x.back() - curve.x[start]);
  const double walk = random_walk_t(floors.value);
  const double walk_boundary = time_uniform_boundary(static_cast<double>(count) - 1, alpha);
  const double slope_boundary = time_uniform_boundary(estimate.effective_points, alpha);
  r.boundary = slope_boundary;
  r.significance = std::max(walk, r.standard_error > 0 ? r.slope / r.standard_error : 0.0);

  r.certain = r.slope > slope_boundary * r.standard_error || walk > walk_boundary;
  r.certain_if_correlated = correlated.t > time_uniform_boundary(static_cast<double>(count) - 3, alpha);
  r.growing = r.certain && is_material(e, r);

  const double upper = r.slope + 1.7 * r.standard_error;
  r.level = !r.growing && (upper * e.span <= std::max(0.012 * curve.level,
                                                      at_most_share(16 * base::kMB, curve.level, 0.02)) ||
                           upper <= 0);
  const std::size_t skip = searched ? 1 : 0;
  const std::size_t late = std::max<std::size_t>(2, count / 3);
  if (count >= 4 && !r.growing) {
    const double lowest_late =
        *std::min_element(floors.value.end() - static_cast<std::ptrdiff_t>(late), floors.value.end());
    const double early =
        median({floors.value.begin() + static_cast<std::ptrdiff_t>(skip),
                floors.value.begin() + static_cast<std::ptrdiff_t>(std::min(count, (count + 1) / 2 + skip))});
    r.recurs = lowest_late <= early + 0.1 * r.residual_sd && r.slope < 2.3 * r.standard_error;
  }
  const double gain = r.slope * r.span;
  const bool trendless =
      (count >= 5 && r.significance < 1.2 && gain < r.residual_sd) ||
      (count >= 6 && r.points >= 40 && r.significance < kTrendless) ||
      (count >= 8 && r.points >= 24 && gain < kImmaterial * curve.level && r.significance < 4) ||
      (count >= 4 && r.points >= 40 && e.spikes >= model::kSpikesToNameThem &&
       gain < kBelowTeeth * e.spike_bytes && r.significance < kTrendlessBelowTeeth);
  r.flat = r.level || (!r.growing && (r.recurs || trendless));
  return r;
}

Evidence gather(const Generation& generation) {
  return gather(make_curve(generation));
}

Evidence gather(Curve readings) {
  Evidence e;
  e.curve = std::move(readings);
  const Curve& curve = e.curve;
  e.first = curve.startup;
  e.points = curve.size() - e.first;
  if (e.points < kFewestToMeasure) return e;
  e.span = curve.x.back() - curve.x[e.first];
  if (!(e.span > 0)) return e;

  find_spikes(e);
  const Floors floors = block_floors(curve, e.first, floor_count(e, e.points, kMostFloors, 5), e.spiky);
  e.floor_x = floors.x;
  e.floors = floors.value;
  e.floor_edges = floors.edges;
  e.floor_noise = std::max(noise_sd(e.floors), 2e-4 * curve.level);

  std::vector<double> unit(e.floor_x.size());
  const double reach = std::max(1e-12, e.floor_x.back() - e.floor_x.front());
  for (std::size_t at = 0; at < unit.size(); ++at) unit[at] = (e.floor_x[at] - e.floor_x.front()) / reach;
  e.shape = fit_floors(e, unit, 0);
  // The first floor below teeth may lie before the first garbage: lower than any later one. A bend that the
  // other floors do not have is no bend.
  std::size_t skipped = 0;
  if (e.spiky && e.spikes >= model::kSpikesToNameThem && e.floors.size() >= kFewestToSkip &&
      is_curved(e.shape, kCurved)) {
    const ShapeFit others = fit_floors(e, unit, 1);
    if (!is_curved(others, kCurved)) {
      e.shape = others;
      skipped = 1;
    }
  }

  e.whole = measure_regime(e, e.first, kAlpha);
  if (e.shape.knee > 0) measure_latest(e, 0, e.shape.knee);
  if (e.latest && !e.latest->growing) {
    if (const std::size_t turn = find_turn(e, unit, e.shape.knee); turn > 0)
      measure_latest(e, e.shape.knee, turn);
  }
  e.last_third = measure_regime(e, curve.size() - std::min(e.points, std::max<std::size_t>(6, e.points / 3)),
                                kAlphaAfterKnee);
  test_again(e);
  settle_pace(e);
  find_stairs(e, (e.latest ? *e.latest : e.whole).residual_sd);
  e.slowing = is_slowing(std::span(e.floor_x).subspan(skipped), std::span(e.floors).subspan(skipped),
                         std::max(0.25 * e.floor_noise, 1e-4 * curve.level)) ||
              is_curved(e.shape, 2.5);
  e.leaving = is_leaving(e);
  return e;
}

}  // namespace lowtide::judge
