// The rules that people use today to answer "is it a leak?".
//
// All but one judge the whole series again at every moment. They know only leak and not-leak ("stable"), so
// their score over five kinds is low by construction. Compare the leak columns. The sources of
// the rules are in docs/bench.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/method.h"
#include "verdict/trend.h"

namespace lowtide::bench {
namespace {

using model::Axis;
using model::VerdictKind;

constexpr double kOneSidedOnePercent = 2.33;  // z
constexpr double kMaterialShare = 0.01;       // of the median, over the run

// The regressor: steps where they are known and rise, else seconds.
struct Regressor {
  std::vector<double> x;
  Axis axis = Axis::Time;

  [[nodiscard]] double span() const { return x.back() - x.front(); }
};

struct View {
  std::span<const double> at_s;
  std::span<const double> step;
  std::span<const double> y;

  [[nodiscard]] std::size_t size() const { return y.size(); }
};

// Steps are interpolated in time where they are missing.
Regressor make_regressor(const View& view) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (!std::isnan(view.step[i])) known.push_back(i);
  }
  const bool enough =
      static_cast<double>(known.size()) >= std::max(2.0, 0.3 * static_cast<double>(view.size()));
  bool rises = enough && view.step[known.back()] > view.step[known.front()];
  for (std::size_t k = 1; rises && k < known.size(); ++k)
    rises = view.step[known[k]] >= view.step[known[k - 1]];
  if (!rises) return {.x = {view.at_s.begin(), view.at_s.end()}, .axis = Axis::Time};

  Regressor regressor{.x = std::vector<double>(view.size()), .axis = Axis::Step};
  std::size_t right = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    while (right < known.size() && known[right] < i) ++right;
    if (right == 0 || right == known.size() || known[right] == i) {
      regressor.x[i] = view.step[known[std::min(right, known.size() - 1)]];
      continue;
    }
    const std::size_t a = known[right - 1];
    const std::size_t b = known[right];
    const double gap_s = view.at_s[b] - view.at_s[a];
    const double share = gap_s > 0 ? (view.at_s[i] - view.at_s[a]) / gap_s : 0;
    regressor.x[i] = view.step[a] + share * (view.step[b] - view.step[a]);
  }
  return regressor;
}

double median_of(std::span<const double> values) {
  return median({values.begin(), values.end()});
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Opinion say(bool leak, double rate_mb, Axis axis) {
  return {.kind = leak ? VerdictKind::Leak : VerdictKind::Stable, .rate_mb = rate_mb, .axis = axis};
}

Opinion too_short() {
  return {.kind = VerdictKind::Inconclusive};
}

// The script that engineers write: the last ten's minimum is 100 MB over the first ten's.
Opinion first_last_minimum(const View& view) {
  if (view.size() < 20) return too_short();
  const Regressor regressor = make_regressor(view);
  const auto first = view.y.first(10);
  const auto last = view.y.last(10);
  const double rise =
      *std::min_element(last.begin(), last.end()) - *std::min_element(first.begin(), first.end());
  return say(rise > 100, rise / std::max(1e-9, regressor.span()), regressor.axis);
}

Opinion ols_t_test(const View& view) {
  if (view.size() < 10) return too_short();
  const Regressor regressor = make_regressor(view);
  const Line line = fit_line(regressor.x, view.y);
  const bool significant = line.slope_error > 0 && line.slope / line.slope_error > kOneSidedOnePercent;
  return say(significant && line.slope * regressor.span() > kMaterialShare * median_of(view.y), line.slope,
             regressor.axis);
}

Opinion mann_kendall_after(const View& view, std::size_t dropped, Autocorrelation autocorrelation) {
  const Regressor regressor = make_regressor(view);
  const std::span<const double> x = std::span(regressor.x).subspan(dropped);
  const std::span<const double> y = view.y.subspan(dropped);
  const MonotoneTrend trend = find_monotone_trend(x, y, autocorrelation);
  const bool material = trend.slope * (x.back() - x.front()) > kMaterialShare * median_of(y);
  return say(trend.z > kOneSidedOnePercent && material, trend.slope, regressor.axis);
}

Opinion mann_kendall(const View& view) {
  if (view.size() < 10) return too_short();
  return mann_kendall_after(view, 0, Autocorrelation::Ignored);
}

Opinion mann_kendall_corrected(const View& view) {
  if (view.size() < 15) return too_short();
  return mann_kendall_after(view, view.size() / 5, Autocorrelation::HamedRao);
}

// Prometheus: predict_linear(rss[W], 4 * W) > limit, with the proportions of its manual ([1h], 4 * 3600).
// The right window for a run of unknown length is not known, nor is the limit. W is the last quarter of the
// samples, and the limit is 25% above the highest sample (a machine that is just large enough).
Opinion predict_linear(const View& view) {
  constexpr double kWindowsAhead = 4;
  constexpr double kHeadroom = 1.25;
  if (view.size() < 20) return too_short();
  const double window_s = (view.at_s.back() - view.at_s.front()) / 4;
  std::size_t from = 0;
  while (from + 5 < view.size() && view.at_s[from] < view.at_s.back() - window_s) ++from;
  const std::span<const double> at_s = view.at_s.subspan(from);
  const std::span<const double> y = view.y.subspan(from);
  const Line line = fit_line(at_s, y);
  const double now_mb = mean_of(y) + line.slope * (at_s.back() - mean_of(at_s));
  const double predicted_mb = now_mb + line.slope * kWindowsAhead * window_s;
  const double limit_mb = kHeadroom * *std::max_element(view.y.begin(), view.y.end());
  return say(predicted_mb > limit_mb, line.slope, Axis::Time);
}

// Scalene: a trial at every new footprint maximum; it counts as freed if memory falls back under the
// level before it. Rule of succession, 95%, and 1% growth.
Opinion scalene_like(const View& view) {
  if (view.size() < 10) return too_short();
  const double level = median_of(view.y);
  const double quantum = std::max(10.0, 0.002 * level);
  double highest = view.y[0];
  double allocations = 0;
  double frees = 0;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double before = kNone;  // the level before the latest allocation, until it is freed
  for (const double value : view.y.subspan(1)) {
    if (value <= before) {
      frees += 1;
      before = kNone;
    }
    if (value > highest + quantum) {
      allocations += 1;
      before = highest;
      highest = value;
    }
  }
  const double likelihood = 1 - (frees + 1) / (allocations - frees + 2);
  const Regressor regressor = make_regressor(view);
  const Line line = fit_line(regressor.x, view.y);
  const double growth = line.slope * regressor.span() / std::max(1.0, level);
  return say(likelihood >= 0.95 && growth >= kMaterialShare, line.slope, regressor.axis);
}

// RESIN buckets usage by level and watches hosts move to higher buckets over time. It compares a
// fleet; with one process only the table of buckets by window is left.
Opinion resin_like(const View& view) {
  constexpr std::size_t kWindows = 12;
  if (view.size() < 2 * kWindows) return too_short();
  std::vector<double> levels;
  levels.reserve(kWindows);
  std::size_t begin = 0;
  for (std::size_t k = 0; k < kWindows; ++k) {
    const std::size_t length = view.size() / kWindows + (k < view.size() % kWindows ? 1 : 0);
    levels.push_back(median_of(view.y.subspan(begin, length)));
    begin += length;
  }
  const double width = 0.01 * median_of(view.y);
  std::vector<double> buckets;
  buckets.reserve(kWindows);
  for (const double level : levels) buckets.push_back(std::floor(level / width));
  double ups = 0;
  double downs = 0;
  for (std::size_t k = 1; k < kWindows; ++k) {
    ups += buckets[k] > buckets[k - 1] ? 1 : 0;
    downs += buckets[k] < buckets[k - 1] ? 1 : 0;
  }
  const std::span<const double> early = std::span(levels).first(kWindows / 2);
  const double early_mean = mean_of(early);
  double squares = 0;
  for (const double level : early) squares += (level - early_mean) * (level - early_mean);
  const double early_sd = std::sqrt(squares / static_cast<double>(early.size() - 1));
  const double z = (mean_of(std::span(levels).last(3)) - early_mean) / std::max(early_sd, 0.25 * width);
  const double net = buckets.back() - mean_of(std::span(buckets).first(3));
  const Regressor regressor = make_regressor(view);
  const Line line = fit_line(regressor.x, view.y);
  return say(net >= 2 && z > 3 && ups >= 0.35 * (kWindows - 1) && downs <= 0.2 * (kWindows - 1), line.slope,
             regressor.axis);
}

std::vector<double> running_median(std::span<const double> y, std::size_t reach) {
  std::vector<double> smooth;
  smooth.reserve(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t begin = i - std::min(i, reach);
    smooth.push_back(median_of(y.subspan(begin, std::min(y.size(), i + reach + 1) - begin)));
  }
  return smooth;
}

// Where the absolute first difference is an outlier (modified z-score over 3.5), latest first; always 0.
std::vector<std::size_t> find_change_points(std::span<const double> y) {
  std::vector<double> jumps;
  jumps.reserve(y.size());
  for (std::size_t i = 1; i < y.size(); ++i) jumps.push_back(std::abs(y[i] - y[i - 1]));
  const double middle = median(jumps);
  std::vector<double> deviations;
  deviations.reserve(jumps.size());
  for (const double jump : jumps) deviations.push_back(std::abs(jump - middle));
  const double mad = median(deviations) + 1e-9;
  std::vector<std::size_t> points;
  for (std::size_t i = jumps.size(); i-- > 0;) {
    if (0.6745 * (jumps[i] - middle) / mad > 3.5) points.push_back(i + 1);
  }
  points.push_back(0);
  return points;
}

// Precog: a line from some change point to the end with R2 >= 0.8.
Opinion precog_like(const View& view) {
  constexpr std::size_t kMostChangePoints = 200;
  constexpr double kLeastR2 = 0.8;
  constexpr double kClearlyBetter = 0.05;
  if (view.size() < 12) return too_short();
  const Regressor regressor = make_regressor(view);
  const std::size_t reach = std::max<std::size_t>(1, view.size() / 60);
  const std::vector<double> smooth =
      reach > 1 ? running_median(view.y, reach) : std::vector<double>(view.y.begin(), view.y.end());
  std::vector<std::size_t> points = find_change_points(smooth);
  if (points.size() > kMostChangePoints) points.resize(kMostChangePoints);
  const std::size_t shortest = std::max<std::size_t>(10, view.size() / 10);
  const double material = kMaterialShare * median_of(view.y);
  std::optional<Line> best;
  for (const std::size_t point : points) {
    if (view.size() - point < shortest) continue;
    const std::span<const double> x = std::span(regressor.x).subspan(point);
    const Line line = fit_line(x, std::span(smooth).subspan(point));
    if (line.r2 < kLeastR2 || line.slope <= 0 || line.slope * (x.back() - x.front()) <= material) continue;
    if (!best || line.r2 > best->r2 + kClearlyBetter) best = line;
  }
  return say(best.has_value(), best ? best->slope : 0, regressor.axis);
}

using Rule = Opinion (*)(const View&);

// The same patience as a detector that knows of warm-ups has: no leak before 400 steps (without
// steps: ten minutes or 240 samples). Shows how much of a score the patience alone is worth.
template <Rule BaselineRule>
Opinion patient(const View& view) {
  const Opinion opinion = BaselineRule(view);
  if (opinion.kind != VerdictKind::Leak) return opinion;
  const Regressor regressor = make_regressor(view);
  const bool early =
      regressor.axis == Axis::Step ? regressor.span() < 400 : regressor.span() < 600 && view.size() < 240;
  return early ? too_short() : opinion;
}

Method make_baseline(std::string name, std::string title, Rule rule) {
  const auto judge = [rule](const Series& series, std::span<const std::size_t> moments) {
    const auto first = [&](std::size_t count) {
      return View{.at_s = std::span(series.at_s).first(count),
                  .step = std::span(series.step).first(count),
                  .y = std::span(series.rss_mb).first(count)};
    };
    Outcome outcome;
    outcome.last = rule(first(series.size()));
    for (const std::size_t count : moments) {
      const VerdictKind kind = count == series.size() ? outcome.last.kind : rule(first(count)).kind;
      outcome.moments.push_back({.samples = count, .kind = kind});
    }
    return outcome;
  };
  return {.name = std::move(name), .title = std::move(title), .judge = judge};
}

}  // namespace

std::vector<Method> baseline_methods() {
  return {
      make_baseline("first10_last10_min", "minimum of the last ten > minimum of the first ten + 100 MB",
                    first_last_minimum),
      make_baseline("ols_t", "least-squares slope, t > 2.33, growth > 1%", ols_t_test),
      make_baseline("mk_theil_sen", "Mann-Kendall z > 2.33, Theil-Sen growth > 1%", mann_kendall),
      make_baseline("mk_hamed_rao_drop20", "the same after dropping 20%, Hamed-Rao variance",
                    mann_kendall_corrected),
      make_baseline("predict_linear",
                    "Prometheus: line over the last quarter passes 1.25 x peak four windows ahead",
                    predict_linear),
      make_baseline("scalene_like", "rule of succession at new maxima >= 95%, growth > 1%", scalene_like),
      make_baseline("resin_like", "12 windows x 1% buckets keep moving up", resin_like),
      make_baseline("precog_like", "line from a change point to the end, R2 >= 0.8", precog_like),
      make_baseline("mk_hamed_rao_drop20+400", "the same with a warm-up budget of 400 steps",
                    patient<mann_kendall_corrected>),
      make_baseline("resin_like+400", "the same with a warm-up budget of 400 steps", patient<resin_like>),
  };
}

}  // namespace lowtide::bench
