#include "explain/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "explain/out_of_memory.h"
#include "judge/floor_trend.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

using base::format_bytes;
using model::Outcome;
using model::Rule;
using model::RuleResult;
using model::VerdictKind;

// The series of host memory: the report may be about a GPU that leaks, but the rules are about the process
// tree.
const model::SeriesReport* judged_series(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return nullptr;
  const auto& all = report.runs[report.primary_run].series;
  const auto found = std::find_if(all.begin(), all.end(), [](const model::SeriesReport& series) {
    return series.quantity == model::Quantity::ProcessMemory;
  });
  if (found != all.end()) return &*found;
  return all.empty() ? nullptr : &all.front();
}

struct BinaryUnit {
  double bytes;
  const char* name;
};
constexpr BinaryUnit kBinaryUnits[] = {{base::kGiB, "GiB"}, {base::kMiB, "MiB"}, {base::kKiB, "KiB"}};

// "--budget 200M" and "--budget 200MiB" are given in MiB, "--budget 200MB" in MB.
bool has_binary_unit(const Rule& rule) {
  const std::string_view words = rule.words;
  const std::string_view value = words.substr(std::min(words.size(), words.find(' ') + 1));
  const std::string_view size = value.substr(0, value.find_first_of(" /"));
  const auto ends_with = [&](std::string_view small, std::string_view capital) {
    return size.ends_with(small) || size.ends_with(capital);
  };
  return !ends_with("b", "B") || ends_with("ib", "iB");
}

// A size in the unit that the rule was given in: "200 MiB", or "200 MB".
std::string rule_size(const Rule& rule, double bytes) {
  constexpr double kDecimals = 100;
  for (const BinaryUnit& unit : kBinaryUnits) {
    const double value = bytes / unit.bytes;
    const bool is_round = value >= 1 && value * kDecimals == std::floor(value * kDecimals);
    if (is_round && has_binary_unit(rule)) return fmt::format("{:.10g} {}", value, unit.name);
  }
  return format_bytes(bytes);
}

// A measured size beside that of the rule, in both units if the rule has a binary one: "393 MiB (412 MB)".
std::string measured_size(const Rule& rule, double bytes) {
  for (const BinaryUnit& unit : kBinaryUnits) {
    if (bytes < unit.bytes || !has_binary_unit(rule)) continue;
    const double value = bytes / unit.bytes;
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {} ({})", value, decimals, unit.name, format_bytes(bytes));
  }
  return format_bytes(bytes);
}

RuleResult undecided(const Rule& rule, std::string why) {
  return {rule, Outcome::Undecided, std::move(why)};
}

RuleResult decided(const Rule& rule, bool kept, std::string why) {
  return {rule, kept ? Outcome::Kept : Outcome::Broken, std::move(why)};
}

// "oom-kill: the cgroup counted an OOM kill".
std::string oom_words(const model::Event& event) {
  return fmt::format("{}: {}", model::to_string(event.kind), event.text);
}

// A job that ran out of memory has failed, as in the other commands that return a verdict.
RuleResult check_no_leak(const model::Report& report, const Rule& rule) {
  const model::Verdict& verdict = report.verdict;
  const model::Event* const oom = find_fatal_oom(report);
  if (oom != nullptr && verdict.kind != VerdictKind::Leak)
    return decided(rule, false, "the job ran out of memory: " + oom_words(*oom));
  std::string why = fmt::format("the verdict is {}: {}", model::to_string(verdict.kind), verdict.reason);
  if (verdict.kind != VerdictKind::Inconclusive)
    return decided(rule, verdict.kind != VerdictKind::Leak, std::move(why));
  why += model::needs_suffix(verdict);
  return undecided(rule, std::move(why));
}

RuleResult check_budget(const model::SeriesReport& series, const Rule& rule) {
  const auto peak = static_cast<double>(series.peak_bytes);
  const auto budget = static_cast<double>(rule.bytes);
  return decided(rule, series.peak_bytes <= rule.bytes,
                 fmt::format("the peak of the process tree was {}, the budget is {}",
                             measured_size(rule, peak), rule_size(rule, budget)));
}

std::optional<double> growth_since(const model::SeriesReport& series, const model::Mark& since) {
  constexpr std::size_t kFewestReadings = 5;
  std::vector<double> lows;
  for (const model::Stretch& stretch : series.outline) {
    const bool before = since.step ? stretch.step < *since.step : since.at_s && stretch.at_s < *since.at_s;
    if (!before) lows.push_back(static_cast<double>(stretch.low_bytes));
  }
  if (lows.size() < kFewestReadings) return std::nullopt;
  return judge::floor_trend(lows);
}

RuleResult check_growth(const model::SeriesReport& series, const Rule& rule) {
  const model::Verdict& verdict = series.verdict;
  const auto most = static_cast<double>(rule.bytes);
  const auto all = static_cast<double>(model::floor_growth(verdict.floor));
  const auto words = [&](double grown, const char* when) {
    return fmt::format("the floor grew by {}{}, the limit is {}", measured_size(rule, grown), when,
                       rule_size(rule, most));
  };
  if (!rule.after_warmup) return decided(rule, all <= most, words(all, ""));
  if (verdict.warmup_end) {
    const auto since = growth_since(series, *verdict.warmup_end);
    if (!since) return undecided(rule, "too few readings after the warm-up");
    return decided(rule, *since <= most, words(*since, " after the warm-up"));
  }
  if (all <= most) return decided(rule, true, words(all, " in total"));
  if (verdict.kind == VerdictKind::Inconclusive) {
    return undecided(
        rule,
        fmt::format("the floor grew by {}, but it is too early to say whether the warm-up has ended: {}",
                    measured_size(rule, all), verdict.reason));
  }
  return decided(rule, false, words(all, ", which was no warm-up"));
}

// Steps per second of the run.
std::optional<double> pace(const model::SeriesReport& series) {
  if (!series.first_step || !series.last_step || !series.first_s || !series.last_s) return std::nullopt;
  const double steps = *series.last_step - *series.first_step;
  const double seconds = *series.last_s - *series.first_s;
  if (steps <= 0 || seconds <= 0) return std::nullopt;
  return steps / seconds;
}

RuleResult check_rate(const model::SeriesReport& series, const Rule& rule) {
  const model::Verdict& verdict = series.verdict;
  const char* const per = rule.per == model::RatePer::Step ? "step" : "second";
  const std::string allowed = fmt::format("the limit is {} per {}", rule_size(rule, rule.rate_bytes), per);
  // The rise of a warm-up has ended.
  if (verdict.kind == VerdictKind::Warmup || verdict.kind == VerdictKind::Stable ||
      verdict.kind == VerdictKind::Spikes) {
    return decided(rule, true,
                   fmt::format("the floor does not rise ({}), {}", model::to_string(verdict.kind), allowed));
  }
  if (!verdict.rate || verdict.counted)
    return undecided(rule, "no rate could be measured: " + verdict.reason);
  double factor = 1;
  if ((verdict.axis == model::Axis::Step) != (rule.per == model::RatePer::Step)) {
    const auto steps_per_second = pace(series);
    if (!steps_per_second) {
      return undecided(rule, fmt::format("the run has no steps, so the rate per {} is unknown", per));
    }
    factor = verdict.axis == model::Axis::Step ? *steps_per_second : 1 / *steps_per_second;
  }
  const model::Rate rate{verdict.rate->bytes * factor, verdict.rate->low * factor,
                         verdict.rate->high * factor};
  std::string why =
      fmt::format("the floor rises by {} per {} ({} to {}), {}", measured_size(rule, rate.bytes), per,
                  format_bytes(rate.low), format_bytes(rate.high), allowed);
  if (rate.high <= rule.rate_bytes) return decided(rule, true, std::move(why));
  if (verdict.kind == VerdictKind::Leak) return decided(rule, rate.bytes <= rule.rate_bytes, std::move(why));
  return undecided(rule, why + "; it is too early to say whether the rise continues");
}

RuleResult check_no_oom(const model::Report& report, const Rule& rule) {
  if (const model::Event* event = find_fatal_oom(report)) return decided(rule, false, oom_words(*event));
  if (report.ending == model::Ending::CutOff) {
    return undecided(rule, "the recording ends early and does not show how the job ended");
  }
  return decided(rule, true, "no process was killed for lack of memory");
}

RuleResult check_expect(const model::Report& report, const Rule& rule) {
  const model::Verdict& verdict = report.verdict;
  const std::string why = fmt::format("the verdict is {}, expected {}: {}", model::to_string(verdict.kind),
                                      model::to_string(rule.expected), verdict.reason);
  if (verdict.kind == rule.expected) return decided(rule, true, why);
  if (verdict.kind == VerdictKind::Inconclusive) return undecided(rule, why);
  return decided(rule, false, why);
}

RuleResult check(const model::Report& report, const Rule& rule) {
  const model::SeriesReport* series = judged_series(report);
  switch (rule.kind) {
    case model::RuleKind::NoLeak:
      return check_no_leak(report, rule);
    case model::RuleKind::NoOom:
      return check_no_oom(report, rule);
    case model::RuleKind::Expect:
      return check_expect(report, rule);
    case model::RuleKind::Budget:
    case model::RuleKind::MaxGrowth:
    case model::RuleKind::MaxRate:
      break;
  }
  if (series == nullptr || series->verdict.samples == 0)
    return undecided(rule, "the recording has no readings");
  if (rule.kind == model::RuleKind::Budget) return check_budget(*series, rule);
  return rule.kind == model::RuleKind::MaxGrowth ? check_growth(*series, rule) : check_rate(*series, rule);
}

}  // namespace

model::Gate check_rules(const model::Report& report, std::vector<model::Rule> rules) {
  if (rules.empty()) {
    Rule no_leak;
    no_leak.words = "no leak";
    rules.push_back(std::move(no_leak));
  }
  model::Gate gate;
  for (const Rule& rule : rules) gate.results.push_back(check(report, rule));
  return gate;
}

}  // namespace lowtide::explain
