#include "judge/missing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "judge/statistics.h"

namespace lowtide::judge {
namespace {

// The ways in which a run may continue. The last of them is the upper end of the interval of the slope: a
// slow leak in noise looks flat at first.
enum class Future { Stops, Continues, StopsHalfway, ContinuesFaster };
constexpr std::array kFutures = {Future::Stops, Future::Continues, Future::StopsHalfway,
                                 Future::ContinuesFaster};
constexpr double kErrorsFaster = 2;

// Found with generated runs (docs/design/verdict.md, "How much longer").
constexpr double kShortest = 0.15;        // of the points until now
constexpr double kGrid = 1.45;            // from one length to the next
constexpr int kLengthsInARow = 2;         // a verdict that is given at one length only is given by chance
constexpr double kMargin = 1.1;           // the noise to come is not the noise until now
constexpr double kLongest = 10;           // times the points until now: beyond that a number has no use
constexpr double kLongestOfShort = 20;    // the same for a run shorter than a warm-up budget,
constexpr double kWarmupBudget = 420;     // up to so many points
constexpr std::size_t kMostPoints = 512;  // half of a generation: the estimate takes half the time

// What one more point of the curve looks like: the points of the stretch in question, around its line.
struct Pattern {
  double x_per_point = 0;
  double seconds_per_point = 0;
  double samples_per_point = 1;
  double slope = 0;
  double slope_error = 0;
  double end = 0;  // of the line
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> mean;
};

Pattern find_pattern(const Assessment& a) {
  const Evidence& e = a.evidence;
  const Curve& curve = e.curve;
  const Regime& r = a.decision.regime;
  const auto gaps = static_cast<double>(e.points - 1);
  Pattern out{.x_per_point = e.span / gaps,
              .seconds_per_point = (curve.at_s.back() - curve.at_s[e.first]) / gaps,
              .samples_per_point = static_cast<double>(curve.samples) / static_cast<double>(curve.size()),
              .slope = std::max({0.0, r.slope, r.slope_now}),
              .slope_error = r.standard_error,
              .end = 0,
              .low = {},
              .high = {},
              .mean = {}};
  std::vector<double> heights;
  for (std::size_t at = r.start; at < curve.size(); ++at)
    heights.push_back(curve.mean[at] - r.slope * curve.x[at]);
  const double height = median(heights);
  out.end = height + r.slope * curve.x.back();
  for (std::size_t at = r.start; at < curve.size(); ++at) {
    const double line = height + r.slope * curve.x[at];
    out.low.push_back(curve.low[at] - line);
    out.high.push_back(curve.high[at] - line);
    out.mean.push_back(curve.mean[at] - line);
  }
  return out;
}

// Bytes above the end of the line, `place` of `points` later.
double growth_at(const Pattern& pattern, Future future, double place, double points) {
  switch (future) {
    case Future::Stops:
      return 0;
    case Future::Continues:
      return pattern.slope * pattern.x_per_point * place;
    case Future::StopsHalfway:
      return pattern.slope * pattern.x_per_point * std::min(place, points / 2);
    case Future::ContinuesFaster:
      return (pattern.slope + kErrorsFaster * pattern.slope_error) * pattern.x_per_point * place;
  }
  return 0;
}

// Pairs of points become one, as in a generation that is full.
void halve(Curve& curve) {
  const std::size_t half = curve.size() / 2;
  for (std::size_t at = 0; at < half; ++at) {
    curve.x[at] = curve.x[2 * at];
    curve.at_s[at] = curve.at_s[2 * at];
    curve.index[at] = curve.index[2 * at];
    curve.low[at] = std::min(curve.low[2 * at], curve.low[2 * at + 1]);
    curve.high[at] = std::max(curve.high[2 * at], curve.high[2 * at + 1]);
    curve.mean[at] = (curve.mean[2 * at] + curve.mean[2 * at + 1]) / 2;
  }
  for (auto* values : {&curve.x, &curve.at_s, &curve.index, &curve.low, &curve.high, &curve.mean})
    values->resize(half);
}

Curve continue_curve(Curve curve, const Pattern& pattern, Future future, std::size_t points) {
  const double x = curve.x.back();
  const double at_s = curve.at_s.back();
  const double index = curve.index.back();
  for (std::size_t at = 0; at < points; ++at) {
    const auto place = static_cast<double>(at + 1);
    const double line = pattern.end + growth_at(pattern, future, place, static_cast<double>(points));
    const std::size_t copied = at % pattern.mean.size();
    curve.x.push_back(x + place * pattern.x_per_point);
    curve.at_s.push_back(at_s + place * pattern.seconds_per_point);
    curve.index.push_back(index + place * pattern.samples_per_point);
    curve.low.push_back(std::max(0.0, line + pattern.low[copied]));
    curve.high.push_back(std::max(0.0, line + pattern.high[copied]));
    curve.mean.push_back(std::max(0.0, line + pattern.mean[copied]));
  }
  curve.samples +=
      static_cast<std::uint64_t>(std::llround(static_cast<double>(points) * pattern.samples_per_point));
  while (curve.size() > kMostPoints) halve(curve);
  measure_curve(curve);
  return curve;
}

bool decides_in_all_futures(const Curve& curve, const Pattern& pattern, double points,
                            const Requirement& required) {
  return std::all_of(kFutures.begin(), kFutures.end(), [&](Future future) {
    Assessment later;
    later.evidence = gather(continue_curve(curve, pattern, future, static_cast<std::size_t>(points)));
    later.decision = decide(later.evidence);
    return required.decides(later);
  });
}

// Growth that slows down may stop, or go on more slowly: where it will bend is not in the readings.
bool is_open(const Assessment& a) {
  return a.evidence.slowing || a.decision.doubt == Doubt::SlowingDown;
}

}  // namespace

Requirement required_at_end() {
  return {.decides = [](const Assessment& a) { return a.decision.kind != model::VerdictKind::Inconclusive; }};
}

std::optional<double> find_missing(const Assessment& a, const Requirement& required) {
  const Evidence& e = a.evidence;
  const auto samples = static_cast<double>(e.curve.samples);
  if (e.floors.empty() || is_open(a) || e.curve.samples < required.fewest_samples) return std::nullopt;
  const Pattern pattern = find_pattern(a);
  const auto points = static_cast<double>(e.points);
  const double longest = std::max(kLongest * points, std::min(kLongestOfShort * points, kWarmupBudget));
  if (!decides_in_all_futures(e.curve, pattern, longest, required)) return std::nullopt;
  int in_a_row = 0;
  for (double more = std::max(2.0, kShortest * points); more <= longest;
       more = std::max(more + 1, kGrid * more)) {
    // The life before was no longer than this: neither may this one be.
    const double later = samples + more * pattern.samples_per_point;
    if (a.previous_samples > 0 && later > static_cast<double>(a.previous_samples)) return std::nullopt;
    in_a_row = decides_in_all_futures(e.curve, pattern, more, required) ? in_a_row + 1 : 0;
    if (in_a_row < kLengthsInARow) continue;
    const double least = required.more_samples * samples / pattern.samples_per_point;
    return std::max(kMargin * more, least) * pattern.x_per_point;
  }
  return std::nullopt;
}

}  // namespace lowtide::judge
