#include "explain/log/log_analysis.h"
#include "explain/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "explain/log/primary_series.h"
#include "explain/settle/other_series.h"
#include "explain/settle/settle.h"

namespace lowtide::explain {
namespace {

// Given out for a series beyond the limit; add() knows it.
constexpr ingest::SeriesIndex kLeftOut{SIZE_MAX};

// Series that a finished run keeps besides the one that speaks, once it is clear that it is not the last.
constexpr std::size_t kSeriesOfAnOldRun = 16;

model::LimitKind kind_of(model::Quantity quantity) {
  switch (quantity) {
    case model::Quantity::ProcessMemory:
    case model::Quantity::SystemMemory:
      return model::LimitKind::Host;
    case model::Quantity::ContainerMemory:
      return model::LimitKind::Cgroup;
    case model::Quantity::GpuUsed:
    case model::Quantity::GpuAllocated:
    case model::Quantity::GpuReserved:
      return model::LimitKind::Gpu;
  }
  return model::LimitKind::Host;
}

}  // namespace

void LogAnalysis::begin_run(const std::string& name, std::uint64_t first_line) {
  end_run();
  run_.name = name;
  run_.first_line = run_.last_line = first_line;
}

ingest::SeriesIndex LogAnalysis::begin_series(const ingest::SeriesInfo& info) {
  if (series_.size() >= kMostSeries) {
    ++series_left_out_;
    if (first_series_left_out_line_ == 0) first_series_left_out_line_ = run_.last_line;
    return kLeftOut;
  }
  Series series;
  series.report.name = info.name;
  series.report.quantity = info.quantity;
  series.report.pid = info.pid;
  series.report.command = info.command;
  series.report.gpu_index = info.gpu_index;
  series.report.gpu_name = info.gpu_name;
  series.report.gpu_id = info.gpu_id;
  series.report.limit_bytes = info.limit_bytes;
  series_.push_back(std::move(series));
  return ingest::SeriesIndex{series_.size() - 1};
}

void LogAnalysis::add(ingest::SeriesIndex index, const model::Sample& sample, std::uint64_t line) {
  run_.last_line = std::max(run_.last_line, line);
  if (index == kLeftOut) return;
  Series& series = series_[static_cast<std::size_t>(index)];
  series.detector.add(sample);
  model::SeriesReport& report = series.report;
  report.last_bytes = sample.bytes;
  report.peak_bytes = std::max(report.peak_bytes, sample.bytes);
  if (std::isfinite(sample.at_s)) {
    if (!report.first_s) report.first_s = sample.at_s;
    report.last_s = sample.at_s;
  }
  if (std::isfinite(sample.step)) {
    if (!report.first_step) report.first_step = sample.step;
    report.last_step = sample.step;
    highest_step_ = std::max(highest_step_.value_or(sample.step), sample.step);
  }
}

void LogAnalysis::event(const model::Event& event) {
  if (events_.size() < kFirstEvents) {
    events_.push_back(event);
    return;
  }
  last_events_.push_back(event);
  if (last_events_.size() <= kMostEvents - kFirstEvents) return;
  last_events_.pop_front();
  ++events_left_out_;
}

// The limit of this series, if the log contains one. A process is limited by its
// container, or else by its host: the smallest limit counts.
std::optional<model::Limit> LogAnalysis::limit_in_log(const model::SeriesReport& series) const {
  const model::LimitKind kind = kind_of(series.quantity);
  if (series.limit_bytes && *series.limit_bytes > 0) return model::Limit{kind, *series.limit_bytes, true};
  if (kind == model::LimitKind::Gpu) return std::nullopt;
  std::optional<model::Limit> smallest;
  for (const Series& other : series_) {
    const model::LimitKind other_kind = kind_of(other.report.quantity);
    const std::uint64_t bytes = other.report.limit_bytes.value_or(0);
    if (other_kind == model::LimitKind::Gpu || bytes == 0) continue;
    if (!smallest || bytes < smallest->bytes) smallest = model::Limit{other_kind, bytes, true};
  }
  return smallest;
}

void LogAnalysis::end_run() {
  std::erase_if(series_, [](const Series& series) { return series.detector.samples() == 0; });
  double run_duration_s = 0;
  bool timed = false;
  for (Series& series : series_) {
    series.report.verdict = series.detector.verdict();
    if (!series.report.last_s) continue;
    run_duration_s = std::max(run_duration_s, *series.report.last_s);
    timed = true;
  }
  if (timed) duration_s_ = duration_s_.value_or(0) + run_duration_s;
  if (!series_.empty()) keep_run();
  series_.clear();
  run_ = {};
}

void LogAnalysis::keep_run() {
  std::vector<const model::SeriesReport*> candidates;
  for (const Series& series : series_) candidates.push_back(&series.report);
  const std::size_t primary = find_primary_series(candidates);
  std::swap(series_[0], series_[primary]);

  // The user's limit is meant for what the report is about, not for every GPU beside it.
  std::optional<model::Limit> limit = limit_in_log(series_[0].report);
  if (limit_bytes_) limit = model::Limit{kind_of(series_[0].report.quantity), *limit_bytes_, false};
  for (std::size_t at = 0; at < series_.size(); ++at) {
    model::SeriesReport& report = series_[at].report;
    const auto own_limit = at == 0 ? limit : limit_in_log(report);
    if (own_limit) report.forecast = series_[at].detector.forecast(own_limit->kind, own_limit->bytes);
  }
  series_[0].report.outline = series_[0].detector.outline();
  for (Series& series : series_) run_.series.push_back(std::move(series.report));
  add_to_runs(std::move(run_), limit);
}

// An outline is some 50 kB: only the run that speaks is drawn.
void LogAnalysis::reduce(std::size_t run) {
  if (run == primary_) return;
  auto& series = runs_[run].series;
  series.front().outline = {};
  const bool latest = run + 1 == runs_.size();
  if (!latest && series.size() > kSeriesOfAnOldRun) series.resize(kSeriesOfAnOldRun);
}

void LogAnalysis::add_to_runs(model::RunReport run, std::optional<model::Limit> limit) {
  runs_.push_back(std::move(run));
  limits_.push_back(limit);
  const std::size_t latest = runs_.size() - 1;
  const bool overrules =
      later_run_is_primary(runs_[primary_].series.front().verdict, runs_[latest].series.front().verdict);
  const std::size_t spoke = std::exchange(primary_, overrules ? latest : primary_);
  reduce(latest);
  if (latest > 0) reduce(latest - 1);
  reduce(spoke);
  if (runs_.size() >= 2 * kMostRuns) drop_oldest_runs();  // many at once: a log may restart on every line
}

void LogAnalysis::drop_oldest_runs() {
  if (runs_.size() <= kMostRuns) return;
  const std::size_t surplus = runs_.size() - kMostRuns;
  if (primary_ < surplus) {  // it stays, in front of the latest ones
    std::swap(runs_[primary_], runs_[surplus]);
    std::swap(limits_[primary_], limits_[surplus]);
    primary_ = surplus;
  }
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(surplus));
  limits_.erase(limits_.begin(), limits_.begin() + static_cast<std::ptrdiff_t>(surplus));
  primary_ -= surplus;
  runs_left_out_ += surplus;
}

void LogAnalysis::add_own_warnings(std::vector<model::Warning>& warnings) const {
  if (series_left_out_ > 0) {
    warnings.push_back({fmt::format("{} series beyond the first {} of a run were not judged",
                                    base::format_count(series_left_out_), kMostSeries),
                        series_left_out_, first_series_left_out_line_});
  }
  if (runs_left_out_ > 0) {
    warnings.push_back(
        {fmt::format("{} of the oldest runs were left out of the report", base::format_count(runs_left_out_)),
         runs_left_out_, 0});
  }
  if (events_left_out_ > 0) {
    warnings.push_back(
        {fmt::format("{} events between the first {} and the last {} were left out of the report",
                     base::format_count(events_left_out_), kFirstEvents, kMostEvents - kFirstEvents),
         events_left_out_, 0});
  }
}

model::Report LogAnalysis::finish(model::Source source, std::vector<model::Warning> warnings) {
  end_run();
  drop_oldest_runs();
  model::Report report;
  report.source = std::move(source);
  report.source.duration_s = duration_s_;
  if (highest_step_ && *highest_step_ >= 0 && *highest_step_ < 9e15) {
    report.source.steps = static_cast<std::uint64_t>(std::llround(*highest_step_));
  }
  report.events = std::move(events_);
  report.events.insert(report.events.end(), last_events_.begin(), last_events_.end());
  report.events_left_out = events_left_out_;
  report.warnings = std::move(warnings);
  add_own_warnings(report.warnings);
  report.primary_run = primary_;
  report.runs = std::move(runs_);
  if (report.primary_run < report.runs.size()) {
    const std::vector<model::SeriesReport>& series = report.runs[report.primary_run].series;
    report.verdict = settle(series.front().verdict, note_other_leak(series));
    report.forecast = series.front().forecast;
    report.limit = limits_[report.primary_run];
  } else {
    report.verdict = settle(
        {}, Argument{
                .rule = ArgumentKind::NoReading,
                .reason = "the log has events but no memory readings",
                .needs = model::Needs{
                    .words =
                        "readings of the memory: a line per step, or the output of free, ps or nvidia-smi"}});
  }
  report.answer = find_answer(report);
  return report;
}

}  // namespace lowtide::explain
