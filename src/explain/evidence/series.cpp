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

bool is_start_up(const SeriesPoint& point, const Steps& steps) {
  return steps.known && point.at_s < steps.first_at_s;
}

// Whether some eighth of the steps has several times the readings of another.
bool is_uneven(const RecordedSeries& series) {
  constexpr std::size_t kParts = 8;
  constexpr std::size_t kSeveral = 3;
  const double first = series.front().step;
  const double span = series.back().step - first;
  if (!(span > 0)) return false;
  std::array<std::size_t, kParts> counts{};
  for (const SeriesPoint& point : series) {
    const double part = std::clamp((point.step - first) / span * kParts, 0.0, kParts - 1.0);
    ++counts[static_cast<std::size_t>(part)];
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most > kSeveral * *least;
}

// Steps that take long have many readings. Where a part of the run is much
// slower than another, it would outweigh it: of a stretch of steps with many
// readings the lowest and the highest are then taken, in their order.
RecordedSeries evened(const RecordedSeries& series) {
  constexpr double kStretches = 100;
  if (series.size() < 2 * static_cast<std::size_t>(kStretches) || !is_uneven(series)) return series;
  const double width = (series.back().step - series.front().step) / kStretches;
  RecordedSeries out;
  auto begin = series.begin();
  while (begin != series.end()) {
    const double first = begin->step;
    const auto end = std::find_if(begin, series.end(), [&](const SeriesPoint& point) {
      return !(point.step < first + width) || point.count > 1;
    });
    if (end - begin <= 2) {
      out.insert(out.end(), begin, std::max(end, begin + 1));
      begin = std::max(end, begin + 1);
      continue;
    }
    const auto [low, high] = std::minmax_element(
        begin, end, [](const SeriesPoint& a, const SeriesPoint& b) { return a.low_bytes < b.low_bytes; });
    out.push_back(low < high ? *low : *high);
    out.push_back(low < high ? *high : *low);
    begin = end;
  }
  return out;
}

template <typename Judge>
void feed(Judge& judge, const RecordedSeries& series, const Steps& steps) {
  RecordedSeries judged;
  judged.reserve(series.size());
  for (const SeriesPoint& point : series) {
    if (is_start_up(point, steps)) continue;
    judged.push_back(point);
    if (!steps.known) judged.back().step = model::kUnknown;
  }
  if (steps.known) judged = evened(judged);
  for (const SeriesPoint& point : judged) {
    judge.add({point.at_s, point.step, point.low_bytes});
    if (point.count > 1) judge.add({point.at_s + point.span_s, point.step, point.high_bytes});
  }
}

// The job may free much after its last step, and then wait for long. A series that has fallen by the reading
// of the last step and ends so low has no floor there: from the first low reading on, nothing is kept.
void drop_after_last_step(RecordedSeries& series, double last_step_s) {
  constexpr std::size_t kBefore = 3;
  constexpr std::uint64_t kNoise = 50;  // a fiftieth less is not what the job gave back
  const auto after = std::find_if(series.begin(), series.end(),
                                  [&](const SeriesPoint& point) { return point.at_s >= last_step_s; });
  if (after == series.end() || after - series.begin() < static_cast<std::ptrdiff_t>(kBefore)) return;
  std::uint64_t lowest = (after - 1)->low_bytes;
  for (auto point = after - kBefore; point != after; ++point) lowest = std::min(lowest, point->low_bytes);
  lowest -= lowest / kNoise;
  const auto is_low = [&](const SeriesPoint& point) { return point.low_bytes < lowest; };
  if (is_low(series.back())) series.erase(std::find_if(after, series.end(), is_low), series.end());
}

// Of a process that ended then, or ended its work: what it gave back in its last seconds.
void drop_teardown(RecordedSeries& series, double ended_s) {
  constexpr double kTeardownS = 3;
  constexpr std::size_t kBefore = 10;
  const auto last_part = std::find_if(series.begin(), series.end(), [&](const SeriesPoint& point) {
    return point.at_s > ended_s - kTeardownS;
  });
  const auto before = static_cast<std::size_t>(last_part - series.begin());
  if (before < kBefore) return;
  std::uint64_t lowest = series[before - 1].low_bytes;
  for (std::size_t at = before - kBefore; at < before; ++at) lowest = std::min(lowest, series[at].low_bytes);
  const SeriesPoint steady = series[before - 1];
  const auto is_teardown = [&](const SeriesPoint& point) {
    return point.low_bytes < lowest ||
           (point.processes < steady.processes && point.low_bytes < steady.low_bytes);
  };
  const std::size_t all = series.size();
  while (series.size() > before && is_teardown(series.back())) series.pop_back();
  if (series.size() == all) return;
  // Where much was gained just before, the first reading of the fall is not that low.
  while (series.size() > before && series.back().low_bytes < series[series.size() - 2].low_bytes)
    series.pop_back();
}

std::uint64_t between(std::uint64_t from, std::uint64_t to, double share) {
  const double value =
      static_cast<double>(from) + share * (static_cast<double>(to) - static_cast<double>(from));
  return base::to_bytes(value);
}

}  // namespace

SeriesPoint to_series_point(const record::Point& point) {
  SeriesPoint out;
  out.at_s = point.at_s;
  out.span_s = point.span_s;
  out.step = point.step;
  out.count = point.count;
  out.low_bytes = point.low_bytes;
  out.high_bytes = point.high_bytes;
  return out;
}

RecordedSeries fill_between(const RecordedSeries& series, const RecordedSeries& ticks) {
  if (series.size() < 2) return series;
  RecordedSeries filled;
  filled.reserve(series.size());
  auto tick = ticks.begin();
  for (std::size_t at = 0; at + 1 < series.size(); ++at) {
    const SeriesPoint& from = series[at];
    const SeriesPoint& to = series[at + 1];
    filled.push_back(from);
    while (tick != ticks.end() && tick->at_s <= from.at_s + from.span_s) ++tick;
    if (from.processes != to.processes) continue;
    for (; tick != ticks.end() && tick->at_s < to.at_s; ++tick) {
      const double share = (tick->at_s - from.at_s) / (to.at_s - from.at_s);
      SeriesPoint point = *tick;
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
  filled.push_back(series.back());
  return filled;
}

void drop_packing_up(RecordedSeries& series, const Steps& steps, std::optional<double> ended_s) {
  if (steps.known) drop_after_last_step(series, steps.last_at_s);
  if (ended_s) drop_teardown(series, steps.end_of_work_s(*ended_s));
}

std::optional<double> level(const RecordedSeries& series, const Window& window, Pick pick) {
  std::vector<double> values;
  for (const SeriesPoint& point : series) {
    if (point.at_s + point.span_s < window.from_s || point.at_s > window.to_s) continue;
    values.push_back(static_cast<double>(point.*pick));
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double change(const RecordedSeries& series, const Window& early, const Window& late, Pick pick) {
  return level(series, late, pick).value_or(0) - level(series, early, pick).value_or(0);
}

const SeriesPoint* nearest(const RecordedSeries& series, double at_s) {
  const auto after =
      std::lower_bound(series.begin(), series.end(), at_s,
                       [](const SeriesPoint& point, double wanted) { return point.at_s < wanted; });
  if (series.empty()) return nullptr;
  if (after == series.end()) return &series.back();
  if (after == series.begin()) return &*after;
  return after->at_s - at_s < at_s - (after - 1)->at_s ? &*after : &*(after - 1);
}

double change_between(const RecordedSeries& series, double from_s, double to_s) {
  const SeriesPoint* first = nearest(series, from_s);
  const SeriesPoint* last = nearest(series, to_s);
  return first == nullptr ? 0 : static_cast<double>(last->low_bytes) - static_cast<double>(first->low_bytes);
}

std::vector<model::CounterPoint> curve_of(const RecordedSeries& series) {
  constexpr std::size_t kMoments = 48;
  std::vector<model::CounterPoint> out;
  const std::size_t moments = std::min(kMoments, series.size());
  for (std::size_t at = 0; at < moments; ++at) {
    const SeriesPoint& point = series[moments == 1 ? 0 : at * (series.size() - 1) / (moments - 1)];
    out.push_back({point.at_s, static_cast<double>(point.low_bytes)});
  }
  return out;
}

Steps find_steps(const RecordedSeries& target) {
  Steps steps;
  std::size_t with_step = 0;
  double lowest = 0;
  double highest = 0;
  for (const SeriesPoint& point : target) {
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

model::SeriesReport judge_series(const RecordedSeries& series, const Steps& steps, judge::Needs needs) {
  judge::Detector detector;
  feed(detector, series, steps);
  model::SeriesReport report;
  for (const SeriesPoint& point : series) {
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

model::Verdict judge_live(const RecordedSeries& series, const Steps& steps) {
  judge::LiveVerdict live;
  feed(live, series, steps);
  return live.verdict();
}

std::optional<model::Forecast> forecast_series(const RecordedSeries& series, const Steps& steps,
                                               model::LimitKind kind, std::uint64_t ceiling_bytes) {
  judge::Detector detector;
  feed(detector, series, steps);
  return detector.forecast(kind, ceiling_bytes);
}

}  // namespace lowtide::explain
