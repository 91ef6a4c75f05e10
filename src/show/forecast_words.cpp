#include "show/forecast_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using model::LimitKind;

std::string step_words(double step) {
  constexpr double kMost = 9e15;
  if (!std::isfinite(step)) return "?";
  return base::format_count(static_cast<std::uint64_t>(std::round(std::clamp(step, 0.0, kMost))));
}

std::string range_words(const model::Range& range, std::string (*write)(double)) {
  if (!std::isfinite(range.low)) return "";
  if (!std::isfinite(range.high)) return fmt::format(" ({} or later, or never)", write(range.low));
  return fmt::format(" ({} to {})", write(range.low), write(range.high));
}

// With three digits: an estimate has no more.
std::string about_step_words(double step) {
  double unit = 1;
  while (std::isfinite(step) && step / unit >= 1000) unit *= 10;
  return step_words(std::round(step / unit) * unit);
}

// " at step 1,930 (1,700 to 2,200), in about 3.2 h"
std::string when_words(const model::Forecast& forecast, const model::SeriesReport& series, bool is_running,
                       ForecastDetail detail) {
  const bool has_interval = detail == ForecastDetail::Interval;
  std::string words;
  if (forecast.step) {
    words = has_interval
                ? " at step " + step_words(forecast.step->estimate) + range_words(*forecast.step, step_words)
                : " at about step " + about_step_words(forecast.step->estimate);
  }
  if (!forecast.seconds) return words;
  // The forecast counts from the start of the recording; a reader asks how long there is left.
  const double now_s = series.last_s.value_or(0.0);
  const auto left_words = [](double left_s) { return base::format_seconds(std::max(left_s, 0.0)); };
  const model::Range left{forecast.seconds->estimate - now_s, forecast.seconds->low - now_s,
                          forecast.seconds->high - now_s};
  words += fmt::format(fmt::runtime(is_running ? "{} in about {}" : "{} {} later"), forecast.step ? "," : "",
                       left_words(left.estimate));
  return forecast.step || !has_interval ? words : words + range_words(left, left_words);
}

// "the limit", whose it is where that is known.
std::string limit_name(const model::Forecast& forecast, const std::optional<model::Limit>& limit) {
  if (forecast.limit == LimitKind::Gpu) return "the memory of the GPU";
  if (!limit || !limit->told_by_machine) return "the limit";
  return limit->kind == LimitKind::Cgroup ? "the limit of the cgroup" : "the memory of this machine";
}

// Where others use a part of the limit: "free on this machine".
std::string left_name(const model::Forecast& forecast, const std::optional<model::Limit>& limit) {
  if (forecast.limit == LimitKind::Gpu) return "free on the GPU";
  if (forecast.limit == LimitKind::Host) return "free on this machine";
  return "left below " + limit_name(forecast, limit);
}

}  // namespace

bool has_forecast(const model::Report& report) {
  using model::AnswerKind;
  return report.forecast && report.answer.kind != AnswerKind::Oom &&
         report.answer.kind != AnswerKind::Bounded;
}

std::uint64_t bytes_left(const model::Forecast& forecast, const model::SeriesReport& series) {
  const std::uint64_t reach = forecast.reach_bytes.value_or(forecast.limit_bytes);
  return reach - std::min(reach, series.verdict.floor.last_bytes);
}

std::string forecast_words(const model::Forecast& forecast, const model::SeriesReport& series,
                           model::Ending ending, const std::optional<model::Limit>& limit,
                           ForecastDetail detail) {
  const bool is_running = ending == model::Ending::Running;
  const std::string size = base::format_limit(forecast.limit_bytes);
  const std::string when = when_words(forecast, series, is_running, detail);
  // Files of other jobs fill it too: the memory of this one is another quantity.
  if (forecast.limit == LimitKind::Tmpfs)
    return fmt::format("the job {} {} ({}){}", is_running ? "fills" : "would have filled",
                       base::printable(forecast.path, 60), size, when);
  if (series.peak_bytes >= forecast.limit_bytes)
    return fmt::format("the peak of {} was above {} ({}); the floor {} it{}", bytes_words(series.peak_bytes),
                       limit_name(forecast, limit), size, is_running ? "reaches" : "would have reached",
                       when);
  if (forecast.reach_bytes)
    return fmt::format("the job {} the {} {} (of {}){}", is_running ? "uses up" : "would have used up",
                       bytes_words(bytes_left(forecast, series)), left_name(forecast, limit), size, when);
  return fmt::format("the job {} {} ({}){}", is_running ? "reaches" : "would have reached",
                     limit_name(forecast, limit), size, when);
}

}  // namespace lowtide::show
