#include "explain/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "explain/words.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

using model::Compared;
using model::Measure;
using model::Report;
using model::SeriesReport;
using model::VerdictKind;

constexpr double kLastPart = 0.2;          // of a run, over which its level is taken
constexpr double kLeastDifference = 0.02;  // of a level: two runs of the same job differ by less
constexpr double kErrors = 3;
constexpr double kReadingsPerFact = 4;  // neighbouring readings resemble each other

// The series of the process tree, also if the report is about a GPU.
const SeriesReport* tree_of(const Report& report) {
  if (report.primary_run >= report.runs.size()) return nullptr;
  for (const SeriesReport& series : report.runs[report.primary_run].series) {
    if (!model::is_gpu_memory(series.quantity)) return &series;
  }
  return nullptr;
}

std::optional<double> steps_of(const Report& report) {
  const SeriesReport* tree = tree_of(report);
  if (tree == nullptr || !tree->first_step || !tree->last_step) return std::nullopt;
  return *tree->last_step > *tree->first_step ? tree->last_step : std::nullopt;
}

struct Level {
  double bytes = 0;
  double error = 0;  // of `bytes`
};

double median(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

// The typical distance of the readings from a line through them. The rise of a leak is no noise: measured
// from the median, it would hide a difference of two leaks.
double noise_around_trend(const std::vector<double>& lows) {
  const std::size_t half = lows.size() / 2;
  if (half == 0) return 0;
  std::vector<double> first(lows.begin(), lows.begin() + static_cast<std::ptrdiff_t>(half));
  std::vector<double> second(lows.end() - static_cast<std::ptrdiff_t>(half), lows.end());
  const double slope = (median(second) - median(first)) / static_cast<double>(lows.size() - half);
  std::vector<double> residuals;
  for (std::size_t at = 0; at < lows.size(); ++at)
    residuals.push_back(lows[at] - slope * static_cast<double>(at));
  std::vector<double> copy = residuals;
  const double middle = median(copy);
  for (double& residual : residuals) residual = std::abs(residual - middle);
  return median(residuals);
}

// The floor in the last part before `up_to`, on the axis that `place` reads.
template <typename Place>
std::optional<Level> level_before(const SeriesReport& series, double up_to, Place place) {
  std::vector<double> lows;
  const double from = up_to * (1 - kLastPart);
  for (const model::Stretch& stretch : series.outline) {
    const double at = place(stretch);
    if (!std::isnan(at) && at >= from && at <= up_to) lows.push_back(static_cast<double>(stretch.low_bytes));
  }
  if (lows.empty()) return std::nullopt;
  const double noise = noise_around_trend(lows);
  const double facts = std::max(1.0, static_cast<double>(lows.size()) / kReadingsPerFact);
  return Level{.bytes = median(lows), .error = noise / std::sqrt(facts)};
}

std::optional<Level> level_of(const Report& report, const std::optional<double>& step, double seconds) {
  const SeriesReport* tree = tree_of(report);
  if (tree == nullptr) return std::nullopt;
  if (step) return level_before(*tree, *step, [](const model::Stretch& stretch) { return stretch.step; });
  return level_before(*tree, seconds, [](const model::Stretch& stretch) { return stretch.at_s; });
}

Compared compare_levels(std::string name, const std::optional<Level>& before,
                        const std::optional<Level>& after) {
  Compared out{.name = std::move(name)};
  if (before) out.before = before->bytes;
  if (after) out.after = after->bytes;
  if (before && after) {
    const double noise = std::max(kErrors * std::hypot(before->error, after->error),
                                  kLeastDifference * std::max(before->bytes, after->bytes));
    out.differs = std::abs(after->bytes - before->bytes) > noise;
  }
  return out;
}

// Rates differ if their intervals do not overlap.
std::optional<Compared> compare_rates(const model::Verdict& before, const model::Verdict& after) {
  if (before.axis != after.axis || (!before.rate && !after.rate)) return std::nullopt;
  Compared out{.name = "growth of the floor",
               .measure = before.axis == model::Axis::Step ? Measure::BytesPerStep : Measure::BytesPerSecond};
  // The rise of a warm-up has ended.
  const auto rate_of = [](const model::Verdict& verdict) {
    const bool goes_on = verdict.kind == VerdictKind::Leak || verdict.kind == VerdictKind::Inconclusive;
    return goes_on ? verdict.rate.value_or(model::Rate{}) : model::Rate{};
  };
  const model::Rate was = rate_of(before);
  const model::Rate is = rate_of(after);
  out.before = was.bytes;
  out.after = is.bytes;
  out.differs = was.low > is.high || is.low > was.high;
  return out;
}

std::optional<double> step_seconds(const Report& report) {
  const SeriesReport* tree = tree_of(report);
  if (!steps_of(report) || !tree->first_s || !tree->last_s) return std::nullopt;
  const double seconds = (*tree->last_s - *tree->first_s) / (*tree->last_step - *tree->first_step);
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// --- parts ---------------------------------------------------------------------------------------

std::optional<double> start_up(const Report& report) {
  const SeriesReport* tree = tree_of(report);
  if (tree == nullptr || tree->verdict.samples == 0) return std::nullopt;
  return static_cast<double>(tree->verdict.floor.first_bytes);
}

std::optional<double> compared_growth(const Report& report) {
  const SeriesReport* tree = tree_of(report);
  if (tree == nullptr || tree->verdict.samples == 0) return std::nullopt;
  return static_cast<double>(model::floor_growth(tree->verdict.floor));
}

std::optional<double> of_workers(const Report& report) {
  double bytes = 0;
  bool any = false;
  for (const model::ProcessReport& process : report.processes) {
    if (process.info.role != model::ProcessRole::Worker) continue;
    any = true;
    bytes += static_cast<double>(process.series.last_bytes);
  }
  return any ? std::optional(bytes) : std::nullopt;
}

std::optional<double> trained(const Report& report) {
  double bytes = 0;
  for (const auto& [pid, tensors] : report.tensors) {
    if (tensors.tensors.requires_grad) bytes += static_cast<double>(tensors.tensors.storage_bytes);
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

// Above the peak of training.
std::optional<double> peak_of_phase(const Report& report, const std::string& name) {
  double peak = 0;
  double train = 0;
  for (const model::PhaseReport& each : report.phases) {
    const auto bytes = static_cast<double>(each.phase.peak_bytes);
    if (each.phase.name == name) peak = std::max(peak, bytes);
    if (each.phase.name == "train") train = std::max(train, bytes);
  }
  return peak > 0 && train > 0 ? std::optional(std::max(0.0, peak - train)) : std::nullopt;
}

std::optional<double> kept_by_phase(const Report& report, const std::string& name) {
  for (const model::PhaseReport& each : report.phases) {
    if (each.phase.name == name) return static_cast<double>(each.phase.kept_bytes);
  }
  return std::nullopt;
}

std::vector<Compared> compare_parts(const Report& before, const Report& after) {
  std::vector<Compared> parts;
  const auto add = [&](std::string name, auto&& of) {
    const std::optional<double> was = of(before);
    const std::optional<double> is = of(after);
    if (was || is) parts.push_back({.name = std::move(name), .before = was, .after = is});
  };
  add("after start-up: imports, model, data", start_up);
  add("growth since start-up", compared_growth);
  add("trained tensors", trained);
  add("workers", of_workers);
  add("evaluation, above training", [](const Report& report) { return peak_of_phase(report, "eval"); });
  add("kept by evaluation", [](const Report& report) { return kept_by_phase(report, "eval"); });
  add("checkpoints, above training",
      [](const Report& report) { return peak_of_phase(report, "checkpoint"); });
  return parts;
}

// --- findings ------------------------------------------------------------------------------------

// The script or program of a command line: "train.py" of "python -u train.py --lr 0.1".
std::string script_of(const std::string& command) {
  std::istringstream words(command);
  std::string first;
  for (std::string word; words >> word;) {
    std::string name = std::filesystem::path(word).filename().string();
    if (first.empty()) first = name;
    if (name.ends_with(".py")) return name;
  }
  return first;
}

bool is_same_program(const Report& before, const Report& after) {
  return script_of(before.source.command) == script_of(after.source.command);
}

// A fix moves lines, and every run has other pids.
auto finding_key(const model::Finding& finding) {
  const std::string file =
      finding.where.file ? std::filesystem::path(*finding.where.file).filename().string() : std::string();
  return std::tuple(finding.id, file, finding.where.function.value_or(""), finding.where.holder.value_or(""));
}

// "The trainer leaks" is the same finding in two runs of one program only.
bool has_place(const model::Finding& finding) {
  return finding.where.file || finding.where.function || finding.where.holder;
}

bool counts(const model::Finding& finding) {
  return !finding.ruled_out && finding.severity != model::Severity::Info;
}

const model::Finding* find_same(const Report& report, const model::Finding& wanted) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(), [&](const auto& finding) {
    return counts(finding) && finding_key(finding) == finding_key(wanted);
  });
  return found == report.findings.end() ? nullptr : &*found;
}

std::vector<model::ComparedFinding> compare_findings(const Report& before, const Report& after) {
  const bool is_same = is_same_program(before, after);
  const auto is_in = [&](const Report& report, const model::Finding& finding) {
    return (is_same || has_place(finding)) && find_same(report, finding) != nullptr;
  };
  std::vector<model::ComparedFinding> out;
  for (const model::Finding& finding : before.findings) {
    if (counts(finding) && !is_in(after, finding)) out.push_back({model::FindingFate::Gone, finding});
  }
  for (const model::FindingFate fate : {model::FindingFate::Stays, model::FindingFate::New}) {
    for (const model::Finding& finding : after.findings) {
      const bool was_there = is_in(before, finding);
      if (counts(finding) && was_there == (fate == model::FindingFate::Stays)) out.push_back({fate, finding});
    }
  }
  return out;
}

// --- the answer ----------------------------------------------------------------------------------

bool report_leaks(const Report& report) {
  return report.verdict.kind == VerdictKind::Leak;
}

const Compared* find_value(const model::Comparison& comparison, std::string_view name) {
  const auto found = std::find_if(comparison.values.begin(), comparison.values.end(),
                                  [&](const Compared& value) { return value.name == name; });
  return found == comparison.values.end() ? nullptr : &*found;
}

void answer_by_floor(model::Comparison& comparison) {
  const Compared* floor = find_value(comparison, "floor");
  if (floor == nullptr || !floor->differs) {
    comparison.reason = "the two runs have no steps or times in common";
    return;
  }
  const double change = *floor->after - *floor->before;
  comparison.outcome = !*floor->differs ? model::ChangeOutcome::Same
                       : change < 0     ? model::ChangeOutcome::Better
                                        : model::ChangeOutcome::Worse;
  comparison.reason = !*floor->differs ? "the floor is the same within noise"
                                       : fmt::format("the floor is {} {}", bytes_words(std::abs(change)),
                                                     change < 0 ? "lower" : "higher");
}

void answer(model::Comparison& comparison) {
  const Report& before = comparison.before;
  const Report& after = comparison.after;
  const auto is_open = [](const Report& report) { return report.verdict.kind == VerdictKind::Inconclusive; };
  if (is_open(before) || is_open(after)) {
    comparison.reason =
        fmt::format("the run {} the change is too short to judge", is_open(before) ? "before" : "after");
    return;
  }
  if (report_leaks(before) && !report_leaks(after)) {
    comparison.outcome = model::ChangeOutcome::Better;
    comparison.reason = "the leak is gone";
  } else if (!report_leaks(before) && report_leaks(after)) {
    comparison.outcome = model::ChangeOutcome::Worse;
    comparison.reason = "the run after the change leaks, the one before did not";
  } else if (report_leaks(before)) {
    const Compared* rate = find_value(comparison, "growth of the floor");
    const bool differs = rate != nullptr && rate->differs.value_or(false);
    comparison.outcome = !differs                       ? model::ChangeOutcome::Same
                         : *rate->after < *rate->before ? model::ChangeOutcome::Better
                                                        : model::ChangeOutcome::Worse;
    comparison.reason = !differs ? "it leaks at the same rate as before"
                                 : fmt::format("it still leaks, {} than before",
                                               *rate->after < *rate->before ? "more slowly" : "faster");
  } else {
    answer_by_floor(comparison);
  }
}

}  // namespace

model::Comparison compare_reports(Report before, Report after) {
  model::Comparison out;
  const auto steps_before = steps_of(before);
  const auto steps_after = steps_of(after);
  if (steps_before && steps_after) out.aligned_step = std::min(*steps_before, *steps_after);
  const double seconds =
      std::min(before.source.duration_s.value_or(HUGE_VAL), after.source.duration_s.value_or(HUGE_VAL));
  out.values.push_back(compare_levels("floor", level_of(before, out.aligned_step, seconds),
                                      level_of(after, out.aligned_step, seconds)));
  const auto peak = [](const Report& report) -> std::optional<double> {
    const SeriesReport* tree = tree_of(report);
    return tree == nullptr ? std::nullopt : std::optional(static_cast<double>(tree->peak_bytes));
  };
  out.values.push_back({.name = "peak", .before = peak(before), .after = peak(after)});
  if (const auto rate = compare_rates(before.verdict, after.verdict)) out.values.push_back(*rate);
  out.values.push_back({.name = "time per step",
                        .measure = Measure::Seconds,
                        .before = step_seconds(before),
                        .after = step_seconds(after)});
  std::erase_if(out.values, [](const Compared& value) { return !value.before && !value.after; });
  out.parts = compare_parts(before, after);
  out.findings = compare_findings(before, after);
  out.before = std::move(before);
  out.after = std::move(after);
  answer(out);
  return out;
}

}  // namespace lowtide::explain
