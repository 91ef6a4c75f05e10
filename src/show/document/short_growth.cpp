// The sentence of the short report on the growth of the memory: how much, when it reaches the limit, what it
// needs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "show/document/short_report.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::format_seconds;
using base::printable;
using model::AnswerKind;
using model::VerdictKind;

std::string steps_words(const model::SeriesReport& series) {
  const bool has_time = series.first_s && series.last_s && *series.last_s > *series.first_s;
  std::string time = has_time ? format_seconds(*series.last_s - *series.first_s) : "";
  if (series.first_step && series.last_step && *series.last_step > *series.first_step) {
    return fmt::format("{} steps{}",
                       format_count(static_cast<std::uint64_t>(*series.last_step - *series.first_step)),
                       time.empty() ? "" : " (" + time + ")");
  }
  return time;
}

// With three digits: an estimate has no more.
std::string rounded_count(double value) {
  constexpr double kMost = 1e15;
  const double count = value > 0 ? std::min(value, kMost) : 0;
  double unit = 1;
  while (count / unit >= 1000) unit *= 10;
  return format_count(static_cast<std::uint64_t>(std::round(count / unit) * unit));
}

// When the limit is reached, in the tense that fits the job.
std::string forecast_sentence(const model::Report& report, const model::SeriesReport& series) {
  const AnswerKind kind = report.answer.kind;
  if (!report.forecast || kind == AnswerKind::Bounded || kind == AnswerKind::Oom) return "";
  const model::Forecast& forecast = *report.forecast;
  const bool is_running = report.ending == model::Ending::Running;
  std::string when;
  if (forecast.step) when = " at about step " + rounded_count(forecast.step->estimate);
  if (forecast.seconds) {
    const double left_s = std::max(0.0, forecast.seconds->estimate - series.last_s.value_or(0));
    const std::string time = format_seconds(left_s);
    when += (when.empty() ? " " : ", ") + (is_running ? "in about " + time : time + " later");
  }
  if (forecast.limit == model::LimitKind::Tmpfs) {
    return fmt::format(" The job {} {} ({}){}.", is_running ? "fills" : "would have filled",
                       printable(forecast.path, 60), base::format_limit(forecast.limit_bytes), when);
  }
  const bool is_gpu = forecast.limit == model::LimitKind::Gpu;
  if (!is_gpu && !report.limit) return "";
  const bool is_machine =
      !is_gpu && report.limit->told_by_machine && report.limit->kind == model::LimitKind::Host;
  const std::string whose = is_machine ? "the memory of this machine" : "the limit";
  if (forecast.reach_bytes) {
    return fmt::format(" The job {} the {} {} (of {}){}.", is_running ? "uses up" : "would have used up",
                       bytes_words(bytes_left(forecast, series)),
                       is_gpu       ? "free on the GPU"
                       : is_machine ? "free on this machine"
                                    : "left below the limit",
                       base::format_limit(forecast.limit_bytes), when);
  }
  return fmt::format(" The job {} {} ({}){}.", is_running ? "reaches" : "would have reached", whose,
                     base::format_limit(forecast.limit_bytes), when);
}

// "floor is flat": of what, is clear in a table, but not in a sentence.
std::string reason_sentence(const model::Verdict& verdict) {
  return sentence(verdict.is_reason_on_floor ? "the memory " + verdict.reason : verdict.reason);
}

// " Run it again, about 200 steps longer."
std::string needs_sentence(const model::Report& report, const model::Verdict& verdict) {
  if (!verdict.needs) return "";
  const model::Needs& needs = *verdict.needs;
  if (report.ending != model::Ending::Closed || !model::has_length(needs))
    return " It needs " + model::needs_words(needs) + ".";
  if (needs.kind == model::NeedsKind::MoreSteps)
    return fmt::format(" Run it again, about {} steps longer.", base::format_number(needs.amount));
  return " Run it again, with " + model::needs_words(needs) + ".";
}

}  // namespace

std::string growth_sentence(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = report.verdict;
  const std::string steps = steps_words(series);
  if (verdict.kind == VerdictKind::Inconclusive)
    return reason_sentence(verdict) + needs_sentence(report, verdict);
  if (verdict.kind != VerdictKind::Leak) {
    std::string out = reason_sentence(verdict);
    if (verdict.kind != VerdictKind::Stable)
      out += fmt::format(" The job needs its peak of {}.", bytes_words(series.peak_bytes));
    return out;
  }
  std::string out = floor_words(verdict.floor) + (steps.empty() ? "" : " in " + steps) + ".";
  if (report.answer.kind == AnswerKind::Bounded && report.answer.end_bytes)
    return out + fmt::format(" The growth {} at {} at the most.",
                             report.ending == model::Ending::Running ? "ends" : "would have ended",
                             bytes_words(*report.answer.end_bytes));
  return out + forecast_sentence(report, series);
}

}  // namespace lowtide::show
