#include "explain/evidence/series.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "judge/detector.h"
#include "judge/live.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestSteps = 8;  // readings with a step, to judge by steps at all
constexpr double kShareWithSteps = 0.3;  // of the run; else the steps came too late to judge by

bool is_start_up(const TrailPoint& point, const Steps& steps) {
  return steps.known && point.at_s < steps.first_at_s;
}

// Whether some eighth of the steps has several times the readings of another.
bool is_uneven(const RecordedSeries& trail) {
  constexpr std::size_t kParts = 8;
  constexpr std::size_t kSeveral = 3;
  const double first = trail.front().step;
  const double span = trail.back().step - first;
  if (!(span > 0)) return false;
  std::array<std::size_t, kParts> counts{};
  for (const TrailPoint& point : trail) {
    const double part = std::clamp((point.step - first) / span * kParts, 0.0, kParts - 1.0);
    ++counts[static_cast<std::size_t>(part)];
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most > kSeveral * *least;
}

// Steps that take long have many readings. Where a part of the run is much
// slower than another, it would outweigh it: of a stretch of steps with many
// readings the lowest and the highest are then taken, in their order.
RecordedSeries evened(const RecordedSeries& trail) {
  constexpr double kStretches = 100;
  if (trail.size() < 2 * static_cast<std::size_t>(kStretches) || !is_uneven(trail)) return trail;
  const double width = (trail.back().step - trail.front().step) / kStretches;
  RecordedSeries out;
  auto begin = trail.begin();
  while (begin != trail.end()) {
    const double first = begin->step;
    const auto end = std::find_if(begin, trail.end(), [&](const TrailPoint& point) {
      return !(point.step < first + width) || point.count > 1;
    });
    if (end - begin <= 2) {
      out.insert(out.end(), begin, std::max(end, begin + 1));
      begin = std::max(end, begin + 1);
      continue;
    }
    const auto [low, high] = std::minmax_element(
        begin, end, [](const TrailPoint& a, const TrailPoint& b) { return a.low_bytes < b.low_bytes; });
    out.push_back(low < high ? *low : *high);
    out.push_back(low < high ? *high : *low);
    begin = end;
  }
  return out;
}

template <typename Judge>
void feed(Judge& judge, const RecordedSeries& trail, const Steps& steps) {
  RecordedSeries judged;
  judged.reserve(trail.size());
  for (const TrailPoint& point : trail) {
    if (is_start_up(point, steps)) continue;
    judged.push_back(point);
    if (!steps.known) judged.back().step = model::kUnknown;
  }
  if (steps.known) judged = evened(judged);
  for (const TrailPoint& point : judged) {
    judge.add({point.at_s, point.step, point.low_bytes});
    if (point.count > 1) judge.add({point.at_s + point.span_s, point.step, point.high_bytes});
  }
}

// The job may free much after its last step, and then wait for long. A series that has fallen by the reading
// of the last step and ends so low has no floor there: from the first low reading on, nothing is kept.
void drop_after_last_step(RecordedSeries& trail, double last_step_s) {
  constexpr std::size_t kBefore = 3;
  constexpr std::uint64_t kNoise = 50;  // a fiftieth less is not what the job gave back
  const auto after = std::find_if(trail.begin(), trail.end(),
                                  [&](const TrailPoint& point) { return point.at_s >= last_step_s; });
  if (after == trail.end() || after - trail.begin() < static_cast<std::ptrdiff_t>(kBefore)) return;
  std::uint64_t lowest = (after - 1)->low_bytes;
  for (auto point = after - kBefore; point != after; ++point) lowest = std::min(lowest, point->low_bytes);
  lowest -= lowest / kNoise;
  const auto is_low = [&](const TrailPoint& point) { return point.low_bytes < lowest; };
  if (is_low(trail.back())) trail.erase(std::find_if(after, trail.end(), is_low), trail.end());
}

// Of a process that ended then, or ended its work: what it gave back in its last seconds.
void drop_teardown(RecordedSeries& trail, double ended_s) {
  constexpr double kTeardownS = 3;
  constexpr std::size_t kBefore = 10;
  const auto last_part = std::find_if(
      trail.begin(), trail.end(), [&](const TrailPoint& point) { return point.at_s > ended_s - kTeardownS; });
  const auto before = static_cast<std::size_t>(last_part - trail.begin());
  if (before < kBefore) return;
  std::uint64_t lowest = trail[before - 1].low_bytes;
  for (std::size_t at = before - kBefore; at < before; ++at) lowest = std::min(lowest, trail[at].low_bytes);
  const TrailPoint steady = trail[before - 1];
  const auto is_teardown = [&](const TrailPoint& point) {
    return point.low_bytes < lowest ||
           (point.processes < steady.processes && point.low_bytes < steady.low_bytes);
  };
  const std::size_t all = trail.size();
  while (trail.size() > before && is_teardown(trail.back())) trail.pop_back();
  if (trail.size() == all) return;
  // Where much was gained just before, the first reading of the fall is not that low.
  while (trail.size() > before && trail.back().low_bytes < trail[trail.size() - 2].low_bytes)
    trail.pop_back();
}

std::uint64_t between(std::uint64_t from, std::uint64_t to, double share) {
  const double value =
      static_cast<double>(from) + share * (static_cast<double>(to) - static_cast<double>(from));
  return base::to_bytes(value);
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

RecordedSeries fill_between(const RecordedSeries& trail, const RecordedSeries& ticks) {
  if (trail.size() < 2) return trail;
  RecordedSeries filled;
  filled.reserve(trail.size());
  auto tick = ticks.begin();
  for (std::size_t at = 0; at + 1 < trail.size(); ++at) {
    const TrailPoint& from = trail[at];
    const TrailPoint& to = trail[at + 1];
    filled.push_back(from);
    while (tick != ticks.end() && tick->at_s <= from.at_s + from.span_s) ++tick;
    if (from.processes != to.processes) continue;
    for (; tick != ticks.end() && tick->at_s < to.at_s; ++tick) {
      const double share = (tick->at_s - from.at_s) / (to.at_s - from.at_s);
      TrailPoint point = *tick;
      point.count = 1;
      point.span_s = 0;
      point.processes = from.processes;
      point.low_bytes = point.high_bytes = between(from.low_bytes, to.low_bytes, share);
      point.rss_bytes = between(from.rss_bytes, to.rss_bytes, share);
      point.file_bytes = between(from.file_bytes, to.file_bytes, share);
      point.shmem_bytes = between(from.shmem_bytes, to.shmem_bytes, share);
      point.held_bytes = between(from.held_bytes, to.held_bytes, share);
      point.writable_bytes = between(from.writable_bytes, to.writable_bytes, share);
      filled.push_back(point);
    }
  }
  filled.push_back(trail.back());
  return filled;
}

void drop_packing_up(RecordedSeries& trail, const Steps& steps, std::optional<double> ended_s) {
  if (steps.known) drop_after_last_step(trail, steps.last_at_s);
  if (ended_s) drop_teardown(trail, steps.end_of_work_s(*ended_s));
}

std::optional<double> level(const RecordedSeries& trail, const Window& window, Pick pick) {
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

double change(const RecordedSeries& trail, const Window& early, const Window& late, Pick pick) {
  return level(trail, late, pick).value_or(0) - level(trail, early, pick).value_or(0);
}

const TrailPoint* nearest(const RecordedSeries& trail, double at_s) {
  const auto after =
      std::lower_bound(trail.begin(), trail.end(), at_s,
                       [](const TrailPoint& point, double wanted) { return point.at_s < wanted; });
  if (trail.empty()) return nullptr;
  if (after == trail.end()) return &trail.back();
  if (after == trail.begin()) return &*after;
  return after->at_s - at_s < at_s - (after - 1)->at_s ? &*after : &*(after - 1);
}

double change_between(const RecordedSeries& trail, double from_s, double to_s) {
  const TrailPoint* first = nearest(trail, from_s);
  const TrailPoint* last = nearest(trail, to_s);
  return first == nullptr ? 0 : static_cast<double>(last->low_bytes) - static_cast<double>(first->low_bytes);
}

std::vector<model::CounterPoint> course_of(const RecordedSeries& trail) {
  constexpr std::size_t kMoments = 48;
  std::vector<model::CounterPoint> out;
  const std::size_t moments = std::min(kMoments, trail.size());
  for (std::size_t at = 0; at < moments; ++at) {
    const TrailPoint& point = trail[moments == 1 ? 0 : at * (trail.size() - 1) / (moments - 1)];
    out.push_back({point.at_s, static_cast<double>(point.low_bytes)});
  }
  return out;
}

Steps find_steps(const RecordedSeries& target) {
  Steps steps;
  std::size_t with_step = 0;
  double lowest = 0;
  double highest = 0;
  for (const TrailPoint& point : target) {
    if (std::isnan(point.step)) continue;
    if (with_step == 0) {
      // Joined readings have the step of the last one. Their lowest may be of the start-up.
      steps.first_at_s = steps.last_at_s = point.at_s + point.span_s;
      lowest = highest = point.step;
    }
    lowest = std::min(lowest, point.step);
    if (point.step > highest) {
      highest = point.step;
      steps.last_at_s = point.at_s;
    }
    ++with_step;
  }
  constexpr double kMostPackingUp = 0.5;
  if (with_step > 0 &&
      target.back().at_s - steps.last_at_s > kMostPackingUp * (steps.last_at_s - steps.first_at_s)) {
    steps.last_at_s = target.back().at_s;
  }
  steps.known =
      with_step >= kFewestSteps && highest > lowest &&
      target.back().at_s - steps.first_at_s >= kShareWithSteps * (target.back().at_s - target.front().at_s);
  return steps;
}

model::SeriesReport judge_trail(const RecordedSeries& trail, const Steps& steps, judge::Needs needs) {
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
  report.verdict = detector.verdict(needs);
  report.outline = detector.outline();
  return report;
}

model::Verdict judge_live(const RecordedSeries& trail, const Steps& steps) {
  judge::LiveVerdict live;
  feed(live, trail, steps);
  return live.verdict();
}

std::optional<model::Forecast> forecast_trail(const RecordedSeries& trail, const Steps& steps,
                                              model::LimitKind kind, std::uint64_t ceiling_bytes) {
  judge::Detector detector;
  feed(detector, trail, steps);
  return detector.forecast(kind, ceiling_bytes);
}

}  // namespace lowtide::explain
