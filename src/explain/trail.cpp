#include "explain/trail.h"

#include <algorithm>
#include <cmath>

#include "judge/detector.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestSteps = 8;  // readings with a step, to judge by steps at all
constexpr double kShareWithSteps = 0.3;  // of the run; else the steps came too late to judge by

bool is_start_up(const TrailPoint& point, const Steps& steps) {
  return steps.known && point.at_s < steps.first_at_s;
}

void feed(judge::Detector& detector, const Trail& trail, const Steps& steps) {
  for (const TrailPoint& point : trail) {
    if (is_start_up(point, steps)) continue;
    const double step = steps.known ? point.step : model::kUnknown;
    detector.add({point.at_s, step, point.low_bytes});
    if (point.count > 1) detector.add({point.at_s + point.span_s, step, point.high_bytes});
  }
}

}  // namespace

TrailPoint to_trail_point(const record::Point& point) {
  TrailPoint out;
  out.at_s = point.at_s;
  out.span_s = point.span_s;
  out.step = point.step;
  out.count = point.count;
  out.low_bytes = point.low_bytes;
  out.high_bytes = point.high_bytes;
  return out;
}

void drop_teardown(Trail& trail, double ended_s) {
  constexpr double kTeardownS = 3;
  constexpr std::size_t kBefore = 10;
  const auto last_part = std::find_if(
      trail.begin(), trail.end(), [&](const TrailPoint& point) { return point.at_s > ended_s - kTeardownS; });
  const auto before = static_cast<std::size_t>(last_part - trail.begin());
  if (before < kBefore) return;
  std::uint64_t lowest = trail[before - 1].low_bytes;
  for (std::size_t at = before - kBefore; at < before; ++at) lowest = std::min(lowest, trail[at].low_bytes);
  while (trail.size() > before && trail.back().low_bytes < lowest) trail.pop_back();
}

std::optional<double> level(const Trail& trail, const Window& window, Pick pick) {
  std::vector<double> values;
  for (const TrailPoint& point : trail) {
    if (point.at_s + point.span_s < window.from_s || point.at_s > window.to_s) continue;
    values.push_back(static_cast<double>(point.*pick));
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double change(const Trail& trail, const Window& early, const Window& late, Pick pick) {
  return level(trail, late, pick).value_or(0) - level(trail, early, pick).value_or(0);
}

Steps find_steps(const Trail& target) {
  Steps steps;
  std::size_t with_step = 0;
  double lowest = 0;
  double highest = 0;
  for (const TrailPoint& point : target) {
    if (std::isnan(point.step)) continue;
    if (with_step == 0) {
      steps.first_at_s = point.at_s;
      lowest = highest = point.step;
    }
    lowest = std::min(lowest, point.step);
    highest = std::max(highest, point.step);
    ++with_step;
  }
  steps.known =
      with_step >= kFewestSteps && highest > lowest &&
      target.back().at_s - steps.first_at_s >= kShareWithSteps * (target.back().at_s - target.front().at_s);
  return steps;
}

model::SeriesReport judge_trail(const Trail& trail, const Steps& steps) {
  judge::Detector detector;
  feed(detector, trail, steps);
  model::SeriesReport report;
  for (const TrailPoint& point : trail) {
    report.peak_bytes = std::max(report.peak_bytes, point.high_bytes);
    report.last_bytes = point.count > 1 ? (point.low_bytes + point.high_bytes) / 2 : point.low_bytes;
    if (!report.first_s) report.first_s = point.at_s;
    report.last_s = point.at_s + point.span_s;
    if (!steps.known || std::isnan(point.step)) continue;
    if (!report.first_step) report.first_step = point.step;
    report.last_step = point.step;
  }
  report.verdict = detector.verdict();
  report.outline = detector.outline();
  return report;
}

std::optional<model::Forecast> forecast_trail(const Trail& trail, const Steps& steps, model::LimitKind kind,
                                              std::uint64_t ceiling_bytes) {
  judge::Detector detector;
  feed(detector, trail, steps);
  return detector.forecast(kind, ceiling_bytes);
}

}  // namespace lowtide::explain
