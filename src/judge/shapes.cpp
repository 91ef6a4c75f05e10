#include "judge/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kDecayed = 3;   // time constants after which a decay is over
constexpr double kMustBeat = 4;  // BIC by which a decay and a line must beat growth that slows down for ever

// Continuous, two slopes.
struct Hinge {
  double sse = kInfinity;
  std::size_t knee = 0;
};

Hinge fit_hinge(std::span<const double> x, std::span<const double> y) {
  Hinge best;
  const std::size_t count = x.size();
  std::vector<double> bend(count);
  for (std::size_t knee = 2; knee + 2 < count; ++knee) {
    for (std::size_t at = 0; at < count; ++at) bend[at] = std::max(0.0, x[at] - x[knee]);
    const double sse = fit_pair(x, bend, y).sse;
    if (sse < best.sse) best = {sse, knee};
  }
  return best;
}

// A rise that decays early, and a straight rise below it that does not: a leak that a warm-up hides at first.
// The knee is where the decay is over.
Hinge fit_decay_and_line(std::span<const double> x, std::span<const double> y) {
  Hinge best;
  const std::size_t count = x.size();
  std::vector<double> decay(count);
  for (const double tau : {.006, .01, .015, .02, .03, .045, .065, .09}) {
    for (std::size_t at = 0; at < count; ++at) decay[at] = std::exp(-(x[at] - x[0]) / tau);
    const Pair fit = fit_pair(x, decay, y);
    if (fit.slope <= 0 || fit.turn >= 0 || fit.sse >= best.sse) continue;
    const auto over = std::lower_bound(x.begin(), x.end(), x[0] + kDecayed * tau);
    best = {fit.sse, std::max<std::size_t>(2, static_cast<std::size_t>(over - x.begin()))};
  }
  return best;
}

// Flat, one jump, flat.
Hinge fit_jump(std::span<const double> y) {
  Hinge best;
  const std::size_t count = y.size();
  for (std::size_t at = 2; at + 1 < count; ++at) {
    const auto before = y.first(at);
    const auto after = y.subspan(at);
    const double mean_before = mean(before);
    const double mean_after = mean(after);
    double sse = 0;
    for (const double value : before) sse += (value - mean_before) * (value - mean_before);
    for (const double value : after) sse += (value - mean_after) * (value - mean_after);
    if (sse < best.sse) best = {sse, at};
  }
  return best;
}

}  // namespace

ShapeFit fit_shapes(std::span<const double> x, std::span<const double> floors, double least_sd) {
  const std::size_t count = x.size();
  const auto points = static_cast<double>(count);
  const auto bic = [&](double sse, double parameters) {
    return points * std::log(sse / points + least_sd * least_sd) + 1.5 * parameters * std::log(points);
  };

  const Line line = fit_line(x, floors);
  double sst = 0;
  const double centre = mean(floors);
  for (const double value : floors) sst += (value - centre) * (value - centre);
  const Hinge hinge = fit_hinge(x, floors);
  const Hinge jump = fit_jump(floors);

  std::vector<double> curve(count);
  double saturation_sse = kInfinity;
  double remaining = 0;
  for (const double tau : {.03, .045, .065, .09, .13, .18, .25, .35, .5, .7, 1.0}) {
    for (std::size_t at = 0; at < count; ++at) curve[at] = std::exp(-(x[at] - x[0]) / tau);
    const Line fit = fit_line(curve, floors);
    if (fit.slope < 0 && fit.sse < saturation_sse) {
      saturation_sse = fit.sse;
      remaining = -fit.slope * curve.back();
    }
  }

  // Slowing growth without an end: powers, logarithms, hyperbolas.
  double concave_sse = kInfinity;
  const auto try_concave = [&](auto&& shape) {
    for (std::size_t at = 0; at < count; ++at) curve[at] = shape(std::max(0.0, x[at] - x[0]));
    const Line fit = fit_line(curve, floors);
    if (fit.slope > 0) concave_sse = std::min(concave_sse, fit.sse);
  };
  for (const double power : {.3, .4, .5, .6}) try_concave([=](double z) { return std::pow(z, power); });
  for (const double scale : {.005, .02, .06, .15})
    try_concave([=](double z) { return std::log1p(z / scale); });
  for (const double scale : {.003, .008, .02, .05}) try_concave([=](double z) { return z / (z + scale); });

  const Hinge under_decay = fit_decay_and_line(x, floors);
  const std::array<std::pair<double, Shape>, 6> candidates = {{
      {bic(sst, 1), Shape::Constant},
      {bic(line.sse, 2), Shape::Line},
      {bic(hinge.sse, 4), Shape::Hinge},
      {bic(jump.sse, 3), Shape::Jump},
      {bic(saturation_sse, 3), Shape::Saturation},
      {bic(concave_sse, 3), Shape::Concave},
  }};
  const auto best = *std::min_element(candidates.begin(), candidates.end());
  const double straight = std::min({candidates[1].first, candidates[2].first, candidates[3].first});
  const double curved = std::min(candidates[4].first, candidates[5].first);

  ShapeFit out;
  const double round_knee = bic(under_decay.sse, 4) + kMustBeat;
  if (curved < straight && round_knee < curved) {
    out.best = Shape::Hinge;
    out.advantage = round_knee - curved;
    out.knee = under_decay.knee;
    return out;
  }
  out.best = best.second;
  out.advantage = std::isfinite(curved) ? straight - curved : 0.0;
  if (best.second == Shape::Jump) {
    out.knee = jump.knee;
  } else if (best.second != Shape::Constant && best.second != Shape::Line) {
    out.knee = hinge.knee;
  }
  out.remaining = best.second == Shape::Saturation ? remaining : 0.0;
  return out;
}

}  // namespace lowtide::judge
