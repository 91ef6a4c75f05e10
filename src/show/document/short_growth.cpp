// The sentence of the short report on the growth of the memory: how much, when it reaches the limit, what it
// needs.

#include <fmt/format.h>

#include "base/units.h"
#include "show/document/short_report.h"
#include "show/forecast_words.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::format_seconds;
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

std::string forecast_sentence(const model::Report& report, const model::SeriesReport& series) {
  if (!has_forecast(report)) return "";
  return " " + sentence(forecast_words(*report.forecast, series, report.ending, report.limit,
                                       ForecastDetail::Estimate));
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
